//! A definition as the derives see it, and why some cannot be derived.

use crate::attributes::{ContainerAttributes, FieldAttributes, VariantAttributes};
use crate::recursion::{Recursion, has_an_end, is_self, plain, recursion, unboxed};
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::spanned::Spanned;
use syn::{Data, DeriveInput, Error, Fields, GenericParam, Generics, Ident, Index, Member, Result, Type};

/// A struct or an enum. A struct is an enum of one variant without a name.
pub struct Container {
    pub ident: Ident,
    pub generics: Generics,
    pub attributes: ContainerAttributes,
    pub is_enum: bool,
    pub variants: Vec<Variant>,
}

/// A constructor.
pub struct Variant {
    /// Its own name, or that of the struct: where errors point.
    pub name: Ident,
    /// How it is written: `Self` or `Self::Name`.
    pub path: TokenStream,
    pub attributes: VariantAttributes,
    pub fields: Vec<Field>,
}

/// A field of a constructor.
pub struct Field {
    pub member: Member,
    /// The variable that patterns bind it to.
    pub binding: Ident,
    /// The type as it is written.
    pub ty: Type,
    /// Whether the type is `Box<inner>`.
    pub boxed: bool,
    /// The type without its box.
    pub inner: Type,
    /// Equal for fields whose values can stand for each other: the type without its box.
    pub key: String,
    pub is_self: bool,
    pub recursion: Recursion,
    pub attributes: FieldAttributes,
}

impl Container {
    pub fn read(input: &DeriveInput) -> Result<Self> {
        refuse_lifetimes(input)?;
        let attributes = ContainerAttributes::read(&input.attrs)?;
        let variants = read_variants(input)?;
        let is_enum = matches!(input.data, Data::Enum(_));
        let (ident, generics) = (input.ident.clone(), input.generics.clone());
        let container = Self { ident, generics, attributes, is_enum, variants };
        container.check()?;
        Ok(container)
    }

    fn check(&self) -> Result<()> {
        let defaults = self.variants.iter().filter(|variant| variant.attributes.default);
        if let Some(second) = defaults.clone().nth(1) {
            return Err(refuse(
                &second.name,
                "two variants are marked `default`: only one can be the smallest value",
            ));
        }
        if let Some(variant) = defaults.clone().find(|variant| variant.attributes.skip) {
            return Err(refuse(
                &variant.name,
                "a variant that is skipped is never made, and the `default` one is the smallest value: \
                leave out one of the two",
            ));
        }
        let attributes = &self.attributes;
        if attributes.generate.is_some() && attributes.smallest.is_some() {
            return Ok(());
        }
        if self.generated().next().is_none() {
            return Err(refuse(
                &self.ident,
                "all variants are skipped, so that no value could be generated: \
                leave `skip` out for one, or give `generate = path` and `smallest = path`",
            ));
        }
        if let Some(variant) = defaults.into_iter().find(|variant| variant.recursion() == Recursion::Direct) {
            return Err(refuse(
                &variant.name,
                "the `default` variant contains the type itself, so that the \
                smallest value would have no end: mark one that does not",
            ));
        }
        if self.generated().all(|variant| variant.recursion() == Recursion::Direct) {
            return Err(refuse(
                &self.ident,
                "every constructor contains the type itself, so that no value has an \
                end: add one that does not, or put the recursive field into an Option or a Vec",
            ));
        }
        Ok(())
    }

    /// The variants that generators may choose.
    pub fn generated(&self) -> impl Iterator<Item = &Variant> {
        self.variants.iter().filter(|variant| !variant.attributes.skip)
    }

    /// The variants that end the recursion: those that do not mention the type. If all do, those that mention it only
    /// inside containers that may be empty.
    pub fn terminal(&self) -> Vec<&Variant> {
        let least = self.generated().map(Variant::recursion).min();
        self.generated().filter(|variant| Some(variant.recursion()) == least).collect()
    }

    /// The variant of the smallest value. A variant that every scope allows comes before one that has a condition.
    pub fn smallest(&self) -> Option<&Variant> {
        let default = self.variants.iter().find(|variant| variant.attributes.default);
        // A type that is defined elsewhere may lead back here. A field that visibly leads back can be empty.
        let open = |field: &&Field| field.attributes.default.is_none() && !has_an_end(&field.ty);
        let cost = |variant: &&Variant| {
            let count = |chosen: &dyn Fn(&&Field) -> bool| variant.fields.iter().filter(chosen).count();
            (
                variant.attributes.when.is_some(),
                count(&open),
                count(&|field| field.boxed),
                variant.fields.len(),
            )
        };
        default.or_else(|| self.terminal().into_iter().min_by_key(cost))
    }
}

impl Variant {
    pub fn recursion(&self) -> Recursion {
        self.fields.iter().map(|field| field.recursion).max().unwrap_or(Recursion::None)
    }

    /// The pattern that binds the chosen fields: `path { member: binding, .. }` fits structs, tuples and units alike.
    pub fn pattern<'a>(&self, fields: impl IntoIterator<Item = &'a Field>) -> TokenStream {
        let path = &self.path;
        let fields = fields.into_iter().map(|field| {
            let Field { member, binding, .. } = field;
            quote!(#member: #binding,)
        });
        quote!(#path { #(#fields)* .. })
    }

    /// The expression that builds the variant, given one for each field.
    pub fn build(&self, value: impl FnMut(&Field) -> TokenStream) -> TokenStream {
        let path = &self.path;
        let members = self.fields.iter().map(|field| &field.member);
        let values = self.fields.iter().map(value);
        quote!(#path { #(#members: #values,)* })
    }

    /// The fields whose values go from one constructor to another.
    pub fn reusable(&self) -> impl Iterator<Item = &Field> {
        self.fields.iter().filter(|field| !field.attributes.skip)
    }

    /// The fields that are positions of their own.
    pub fn children(&self) -> impl Iterator<Item = &Field> {
        self.reusable().filter(|field| field.attributes.mutants.is_none())
    }

    /// The fields with hand-written mutants. They are not positions.
    pub fn custom(&self) -> impl Iterator<Item = (&Field, &Type)> {
        self.reusable().filter_map(|field| field.attributes.mutants.as_ref().map(|mutants| (field, mutants)))
    }
}

impl Field {
    fn read(index: usize, field: &syn::Field, input: &DeriveInput) -> Result<Self> {
        let inner = unboxed(&field.ty).unwrap_or(plain(&field.ty));
        let is_self = is_self(inner, input);
        Ok(Self {
            member: field.ident.clone().map_or_else(|| Member::Unnamed(Index::from(index)), Member::Named),
            // An error of the compiler about the variable then points at the field's type.
            binding: format_ident!("field_{index}", span = Span::call_site().located_at(field.ty.span())),
            ty: field.ty.clone(),
            boxed: unboxed(&field.ty).is_some(),
            inner: inner.clone(),
            key: if is_self { "Self".to_owned() } else { inner.to_token_stream().to_string() },
            is_self,
            recursion: recursion(&field.ty, input),
            attributes: FieldAttributes::read(&field.attrs)?,
        })
    }

    /// What the field is filled with when there is nothing to reuse.
    pub fn filler(&self) -> TokenStream {
        let ty = &self.ty;
        match &self.attributes.default {
            Some(default) => quote!(#default),
            None => quote!(<#ty as ::mutagen_engine::Generate>::smallest()),
        }
    }
}

fn read_variants(input: &DeriveInput) -> Result<Vec<Variant>> {
    match &input.data {
        Data::Struct(data) => Ok(vec![Variant {
            name: input.ident.clone(),
            path: quote!(Self),
            attributes: VariantAttributes::default(),
            fields: read_fields(&data.fields, input)?,
        }]),
        Data::Enum(data) if data.variants.is_empty() => Err(refuse(
            &input.ident,
            "an enum without variants has no values: there is nothing to generate and nothing to mutate. Give it one",
        )),
        Data::Enum(data) => data.variants.iter().map(|variant| read_variant(variant, input)).collect(),
        Data::Union(_) => Err(refuse(
            &input.ident,
            "a union does not say which of its fields is alive, so that its mutants are unknown: use an enum",
        )),
    }
}

fn read_variant(variant: &syn::Variant, input: &DeriveInput) -> Result<Variant> {
    let name = &variant.ident;
    Ok(Variant {
        name: name.clone(),
        path: quote!(Self::#name),
        attributes: VariantAttributes::read(&variant.attrs)?,
        fields: read_fields(&variant.fields, input)?,
    })
}

fn read_fields(fields: &Fields, input: &DeriveInput) -> Result<Vec<Field>> {
    fields.iter().enumerate().map(|(index, field)| Field::read(index, field, input)).collect()
}

fn refuse_lifetimes(input: &DeriveInput) -> Result<()> {
    let lifetime = input.generics.params.iter().find(|param| matches!(param, GenericParam::Lifetime(_)));
    match lifetime {
        None => Ok(()),
        Some(lifetime) => Err(refuse(
            lifetime,
            "a type that borrows cannot be derived: mutants outlive the value that they come from. Own the data \
             (String instead of &str, Box<T> instead of &T)",
        )),
    }
}

/// The error that says why a definition cannot be derived.
pub fn refuse(place: impl ToTokens, why: &str) -> Error {
    Error::new_spanned(place, why)
}
