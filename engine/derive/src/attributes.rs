//! Reads the attributes `#[mutagen(..)]`.

use syn::meta::ParseNestedMeta;
use syn::parse::Parse;
use syn::punctuated::Punctuated;
use syn::{Attribute, Error, Expr, LitInt, LitStr, Path, Result, Token, Type, WherePredicate, parse_quote};

/// Attributes of a type.
#[derive(Default)]
pub struct ContainerAttributes {
    pub mutants: Option<Type>,
    pub generate: Option<Expr>,
    pub smallest: Option<Expr>,
    pub remote: Option<Path>,
    pub bounds: Vec<WherePredicate>,
}

/// Attributes of a variant.
#[derive(Default)]
pub struct VariantAttributes {
    pub skip: bool,
    pub default: bool,
    pub weight: Option<u32>,
    pub when: Option<Expr>,
}

/// Attributes of a field.
#[derive(Default)]
pub struct FieldAttributes {
    pub skip: bool,
    pub default: Option<Expr>,
    pub generate: Option<Expr>,
    pub mutants: Option<Type>,
    /// The mirror of a foreign type. It stands for the other attributes.
    pub with: Option<Type>,
}

impl ContainerAttributes {
    pub fn read(attributes: &[Attribute]) -> Result<Self> {
        let mut read = Self::default();
        each(attributes, |meta| match name(meta).as_str() {
            "mutants" => once(&mut read.mutants, meta),
            "generate" => once(&mut read.generate, meta),
            "smallest" => once(&mut read.smallest, meta),
            "remote" => once(&mut read.remote, meta),
            "bound" => {
                let text: LitStr = meta.value()?.parse()?;
                let bounds = text.parse_with(Punctuated::<WherePredicate, Token![,]>::parse_terminated)?;
                read.bounds.extend(bounds);
                Ok(())
            }
            _ => Err(unknown(
                meta,
                "a type",
                "mutants = Type, generate = path, smallest = path, remote = path, bound = \"T: Trait\"",
            )),
        })?;
        Ok(read)
    }
}

impl VariantAttributes {
    pub fn read(attributes: &[Attribute]) -> Result<Self> {
        let mut read = Self::default();
        each(attributes, |meta| match name(meta).as_str() {
            "skip" => flag(&mut read.skip, meta),
            "default" => flag(&mut read.default, meta),
            "weight" if read.weight.is_some() => Err(twice(meta)),
            "weight" => {
                read.weight = Some(weight(meta)?);
                Ok(())
            }
            "when" => once(&mut read.when, meta),
            _ => Err(unknown(meta, "a variant", "skip, default, weight = N, when = path")),
        })?;
        Ok(read)
    }
}

impl FieldAttributes {
    pub fn read(attributes: &[Attribute]) -> Result<Self> {
        let mut read = Self::default();
        each(attributes, |meta| match name(meta).as_str() {
            "skip" => flag(&mut read.skip, meta),
            "default" => once(&mut read.default, meta),
            "generate" => once(&mut read.generate, meta),
            "mutants" => once(&mut read.mutants, meta),
            "with" => once(&mut read.with, meta),
            _ => Err(unknown(
                meta,
                "a field",
                "skip, default = expr, generate = path, mutants = Type, with = Type",
            )),
        })?;
        if let Some(mirror) = &read.with {
            let remote: Type = parse_quote!(::mutagen_engine::Remote<#mirror>);
            read.default.get_or_insert_with(|| parse_quote!(<#remote>::smallest()));
            read.generate.get_or_insert_with(|| parse_quote!(<#remote>::generate));
            read.mutants.get_or_insert(remote);
        }
        Ok(read)
    }
}

fn each(attributes: &[Attribute], mut read: impl FnMut(&ParseNestedMeta) -> Result<()>) -> Result<()> {
    let ours = attributes.iter().filter(|attribute| attribute.path().is_ident("mutagen"));
    ours.into_iter().try_for_each(|attribute| attribute.parse_nested_meta(|meta| read(&meta)))
}

fn name(meta: &ParseNestedMeta) -> String {
    meta.path.get_ident().map(ToString::to_string).unwrap_or_default()
}

fn once<T: Parse>(place: &mut Option<T>, meta: &ParseNestedMeta) -> Result<()> {
    let value = meta.value()?.parse()?;
    match place.replace(value) {
        None => Ok(()),
        Some(_) => Err(twice(meta)),
    }
}

fn flag(place: &mut bool, meta: &ParseNestedMeta) -> Result<()> {
    if std::mem::replace(place, true) { Err(twice(meta)) } else { Ok(()) }
}

fn twice(meta: &ParseNestedMeta) -> Error {
    meta.error(format!("`{}` is given twice here: keep one of the two", name(meta)))
}

fn weight(meta: &ParseNestedMeta) -> Result<u32> {
    let literal: LitInt = meta.value()?.parse()?;
    match literal.base10_parse()? {
        0 => Err(Error::new(
            literal.span(),
            "a weight of 0 would still let mutation make this variant: write `skip` to rule it out altogether",
        )),
        weight => Ok(weight),
    }
}

fn unknown(meta: &ParseNestedMeta, place: &str, known: &str) -> Error {
    meta.error(format!("unknown mutagen attribute on {place}; known there: {known}"))
}
