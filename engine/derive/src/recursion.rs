//! Types as they are written: boxes, and how a field leads back to the type that it is part of.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::{DeriveInput, GenericArgument, GenericParam, Path, PathArguments, Type, TypePath};

/// How a field leads back to the type that is being defined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Recursion {
    /// Not at all, or through other definitions, which cannot be seen from here.
    None,
    /// Through something that may be empty, such as a vector or an option.
    Inside,
    /// Each value of the field holds a value of the type.
    Direct,
}

/// The type inside parentheses and invisible groups.
pub fn plain(ty: &Type) -> &Type {
    match ty {
        Type::Paren(inner) => plain(&inner.elem),
        Type::Group(inner) => plain(&inner.elem),
        _ => ty,
    }
}

/// `X` if the type is `Box<X>` and `X` is sized, so that it can be taken out of the box.
pub fn unboxed(ty: &Type) -> Option<&Type> {
    let Type::Path(ty) = plain(ty) else { return None };
    let last = ty.path.segments.last().filter(|last| last.ident == "Box")?;
    only_argument(&last.arguments).map(plain).filter(|inner| has_size(inner))
}

fn has_size(ty: &Type) -> bool {
    match ty {
        Type::Slice(_) | Type::TraitObject(_) => false,
        Type::Path(ty) => !ty.path.is_ident("str"),
        _ => true,
    }
}

fn only_argument(arguments: &PathArguments) -> Option<&Type> {
    let PathArguments::AngleBracketed(arguments) = arguments else { return None };
    match arguments.args.first() {
        Some(GenericArgument::Type(ty)) if arguments.args.len() == 1 => Some(ty),
        _ => None,
    }
}

/// Whether the type is the one that `input` defines, with the same parameters.
pub fn is_self(ty: &Type, input: &DeriveInput) -> bool {
    let Type::Path(ty) = plain(ty) else { return false };
    ty.path.is_ident("Self") || is_own_name(&ty.path, input) && has_own_parameters(&ty.path, input)
}

fn is_own_name(path: &Path, input: &DeriveInput) -> bool {
    path.segments.len() == 1 && path.segments[0].ident == input.ident
}

fn has_own_parameters(path: &Path, input: &DeriveInput) -> bool {
    let parameters = input.generics.params.iter().map(|parameter| match parameter {
        GenericParam::Type(parameter) => parameter.ident.to_string(),
        GenericParam::Const(parameter) => parameter.ident.to_string(),
        GenericParam::Lifetime(parameter) => parameter.lifetime.to_string(),
    });
    let PathArguments::AngleBracketed(arguments) = &path.segments[0].arguments else {
        return input.generics.params.is_empty();
    };
    arguments.args.iter().map(|argument| argument.to_token_stream().to_string()).eq(parameters)
}

/// How a field of this type leads back to the type that `input` defines.
pub fn recursion(ty: &Type, input: &DeriveInput) -> Recursion {
    let ty = unboxed(ty).unwrap_or(plain(ty));
    match ty {
        Type::Path(path) if path.path.is_ident("Self") || is_own_name(&path.path, input) => Recursion::Direct,
        Type::Path(_) if unboxed(ty).is_some_and(|inner| recursion(inner, input) == Recursion::Direct) => {
            Recursion::Direct
        }
        Type::Tuple(tuple) => {
            tuple.elems.iter().map(|ty| recursion(ty, input)).max().unwrap_or(Recursion::None)
        }
        Type::Array(array) => recursion(&array.elem, input),
        // Its smallest value is that of its first case.
        Type::Path(path)
            if first_case(path).is_some_and(|case| recursion(case, input) == Recursion::Direct) =>
        {
            Recursion::Direct
        }
        _ if mentions(ty.to_token_stream(), input) => Recursion::Inside,
        _ => Recursion::None,
    }
}

/// Whether the smallest value of this type certainly has an end, wherever it is used. That holds for types of the language or
/// the standard library that can be empty, or are made of such types. Types that are defined elsewhere may lead back.
pub fn has_an_end(ty: &Type) -> bool {
    match plain(ty) {
        Type::Tuple(tuple) => tuple.elems.iter().all(has_an_end),
        Type::Array(array) => has_an_end(&array.elem),
        Type::Path(path) => path.path.segments.last().is_some_and(|last| match &*last.ident.to_string() {
            "Box" | "Result" => first_argument(&last.arguments).is_some_and(has_an_end),
            name => ENDS.contains(&name),
        }),
        _ => false,
    }
}

/// Numbers, and what can be empty.
const ENDS: [&str; 21] = [
    "i8",
    "i16",
    "i32",
    "i64",
    "i128",
    "isize",
    "u8",
    "u16",
    "u32",
    "u64",
    "u128",
    "usize",
    "f32",
    "f64",
    "bool",
    "char",
    "String",
    "Vec",
    "Option",
    "PhantomData",
    "BTreeMap",
];

/// `X` if the type is `Result<X, _>`.
fn first_case(ty: &TypePath) -> Option<&Type> {
    let last = ty.path.segments.last().filter(|last| last.ident == "Result")?;
    first_argument(&last.arguments)
}

fn first_argument(arguments: &PathArguments) -> Option<&Type> {
    let PathArguments::AngleBracketed(arguments) = arguments else { return None };
    arguments.args.iter().find_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    })
}

fn mentions(tokens: TokenStream, input: &DeriveInput) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => ident == "Self" || ident == input.ident,
        TokenTree::Group(group) => mentions(group.stream(), input),
        _ => false,
    })
}
