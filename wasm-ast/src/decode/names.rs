//! The custom section with names. It is read only on request, because nothing in a module depends on it.

use std::collections::BTreeMap;

use wasmparser::{BinaryReader, Name, NameSectionReader};

use crate::module::{Custom, Module};

impl Module {
    /// The names of functions by index, from custom sections called `name`. Malformed parts are ignored, as
    /// the specification demands. The functions need not exist.
    ///
    /// ```
    /// use mutagen_wasm_ast::Module;
    ///
    /// let module = Module::from_text("(module (func $main) (func) (func $helper))")?;
    /// assert_eq!(module.function_names().into_values().collect::<Vec<_>>(), ["main", "helper"]);
    /// # Ok::<(), mutagen_wasm_ast::TextError>(())
    /// ```
    pub fn function_names(&self) -> BTreeMap<u32, String> {
        let customs = self.customs.last.iter().filter(|custom| custom.name.0 == "name");
        customs.flat_map(names).collect()
    }
}

fn names(custom: &Custom) -> Vec<(u32, String)> {
    let mut names = vec![];
    let subsections = NameSectionReader::new(BinaryReader::new(&custom.bytes.0, 0)).map_while(Result::ok);
    for subsection in subsections {
        if let Name::Function(functions) = subsection {
            let functions = functions.into_iter().map_while(Result::ok);
            names.extend(functions.map(|naming| (naming.index, naming.name.to_owned())));
        }
    }
    names
}
