//! What is encoded is decoded as it was.

use mutagen_engine::{Generate, MutantsConfig, Scope, Source, mutants};
use mutagen_wasm_ast::{Features, Module};

fn assert_round_trip(module: &Module) {
    let bytes = module.encode();
    match Module::decode(&bytes) {
        Ok(decoded) => assert_eq!(&decoded, module),
        Err(error) => panic!("{error}\n{module:#?}"),
    }
}

#[test]
fn generated() {
    let scope = Scope::new().with(Features::WASMI);
    let mut source = Source::seeded(1).with_scope(scope.clone());
    for n in 0..2000 {
        let module = Module::generate(&mut source, n % 6);
        assert_round_trip(&module);
        if n % 40 == 3 {
            for (_, m) in mutants(&module, &MutantsConfig::default(), &scope).take(2000) {
                assert_round_trip(&m);
            }
        }
    }
}
