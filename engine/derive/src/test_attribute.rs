//! `#[mutagen_engine::test]`: a property as a test function.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Error, FnArg, Ident, ItemFn, LitInt, Result, Token, Type, parse2};

/// Writes a test function that checks the property `item`.
pub(crate) fn implementation(arguments: TokenStream, item: TokenStream) -> Result<TokenStream> {
    let settings = settings(arguments)?;
    let mut function: ItemFn = parse2(item)?;
    refuse_what_cannot_be_tested(&function)?;
    let parameters = function.sig.inputs.iter().map(Parameter::read).collect::<Result<Vec<_>>>()?;
    let (names, types): (Vec<_>, Vec<_>) = (0..)
        .zip(&parameters)
        .map(|(index, parameter)| (quote::format_ident!("argument_{index}"), parameter.owned))
        .unzip();
    let passed = names.iter().zip(&parameters).map(|(name, parameter)| parameter.pass(name));
    // One argument is tested as it is, several as a tuple.
    let (pattern, tested) = match (&names[..], &types[..]) {
        ([name], [owned]) => (quote!(#name), quote!(#owned)),
        _ => (quote!((#(#names),*)), quote!((#(#types),*))),
    };
    let name = function.sig.ident.clone();
    let name_text = name.to_string();
    let attributes = std::mem::take(&mut function.attrs);
    let call = quote_spanned!(function.sig.span()=> #name(#(#passed),*));
    Ok(quote! {
        #(#attributes)*
        #[::core::prelude::v1::test]
        fn #name() {
            // It takes exactly what is generated: a `&Vec` is not a slice.
            #[allow(clippy::ptr_arg)]
            #function
            // `cargo mutagen` finds the property by this text in the program.
            ::mutagen_engine::Check::marked(
                ::core::concat!("\u{1}mutagen-property-1:", ::core::module_path!(), "::", #name_text, "\0"),
                ::core::option_env!("CARGO_MANIFEST_DIR"),
                ::core::option_env!("CARGO_PKG_NAME"),
            )
            #(#settings)*
            .run(|#pattern: &#tested| #call);
        }
    })
}

/// An argument of a property.
struct Parameter<'a> {
    /// Its type without the reference.
    owned: &'a Type,
    by_reference: bool,
}

impl<'a> Parameter<'a> {
    fn read(argument: &'a FnArg) -> Result<Self> {
        let FnArg::Typed(argument) = argument else {
            return Err(Error::new(argument.span(), "a property is a plain function, without `self`"));
        };
        match &*argument.ty {
            Type::Reference(reference) if reference.mutability.is_some() => Err(Error::new(
                reference.span(),
                "a property must not change what it tests: take `&T` or `T`",
            )),
            Type::Reference(reference) => Ok(Parameter { owned: &reference.elem, by_reference: true }),
            owned => Ok(Parameter { owned, by_reference: false }),
        }
    }

    fn pass(&self, name: &Ident) -> TokenStream {
        if self.by_reference { quote!(#name) } else { quote!(::core::clone::Clone::clone(#name)) }
    }
}

/// `tests = 1000, seed = 7` as calls on a `Check`.
fn settings(arguments: TokenStream) -> Result<Vec<TokenStream>> {
    let settings = syn::parse::Parser::parse2(Punctuated::<Setting, Token![,]>::parse_terminated, arguments)?;
    Ok(settings.into_iter().map(|Setting { name, value }| quote!(.#name(#value))).collect())
}

struct Setting {
    name: Ident,
    value: LitInt,
}

impl syn::parse::Parse for Setting {
    fn parse(input: syn::parse::ParseStream<'_>) -> Result<Self> {
        let name: Ident = input.parse()?;
        if name != "tests" && name != "seed" {
            return Err(Error::new(
                name.span(),
                format!("unknown setting `{name}`: known are `tests` and `seed`"),
            ));
        }
        input.parse::<Token![=]>()?;
        Ok(Setting { name, value: input.parse()? })
    }
}

fn refuse_what_cannot_be_tested(function: &ItemFn) -> Result<()> {
    let signature = &function.sig;
    if let Some(asyncness) = &signature.asyncness {
        return Err(Error::new(asyncness.span(), "a property cannot be async"));
    }
    if !signature.generics.params.is_empty() {
        return Err(Error::new(
            signature.generics.span(),
            "a property needs concrete types to generate values of",
        ));
    }
    if signature.inputs.is_empty() {
        return Err(Error::new(
            signature.span(),
            "a property needs at least one argument to generate values of",
        ));
    }
    if signature.inputs.len() > 8 {
        return Err(Error::new(signature.inputs.span(), "a property has at most 8 arguments: use a struct"));
    }
    Ok(())
}
