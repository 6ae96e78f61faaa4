//! Instances in another process: calls, host functions that are served meanwhile, the state.

use std::sync::Arc;

use super::{
    client::{Shared, ending_of},
    link::{Broken, unexpected},
    messages::{CallOf, Exported, Hello, Instantiate, Left, Reply, Request},
    reach::{ProcessHandles, ProcessHost, Reach, Seen},
    wire::Bytes,
};
use crate::{
    answer::{Ending, Instantiation, Rejection},
    engine::{Function, Instance},
    engines::pace::Pace,
    host::{HostPlan, UNKNOWN_FUNCTION},
    scan::{External, Outline},
    state::State,
    value::{Value, ValueType},
    view::{Item, View},
};

/// An instance in another process, or what is left of a failed attempt to make one.
pub(super) struct ProcessInstance {
    shared: Arc<Shared>,
    generation: u64,
    number: u32,
    exports: Vec<Function>,
    host: ProcessHost,
    /// The results of imported functions.
    imported: Vec<Vec<ValueType>>,
    seen: Seen,
    /// What an engine told that performs plans by itself.
    digests: Option<State>,
    fuel_used: u64,
    pace: Pace,
}

impl ProcessInstance {
    pub(super) fn start(
        shared: &Arc<Shared>,
        hello: &Hello,
        pace: Pace,
        outline: Outline,
        bytes: &[u8],
        hosts: &[HostPlan],
    ) -> Result<Self, Instantiation> {
        let (generation, number) = shared.line().next_instance();
        let mut instance = Self {
            shared: Arc::clone(shared),
            generation,
            number,
            exports: Vec::new(),
            host: ProcessHost::new(&shared.settings.limits, hosts),
            imported: outline.imports.iter().filter_map(results).collect(),
            seen: Seen::of(hello.performs_plans),
            digests: None,
            fuel_used: 0,
            pace,
        };
        let imports = View::new(items(&outline.imports));
        instance.host.view = Some(Arc::new(imports));
        let plans = if hello.performs_plans { hosts.to_vec() } else { Vec::new() };
        let (module, outlined) = (Bytes(bytes.to_vec()), outline.clone());
        let question =
            Request::Instantiate(Instantiate { instance: number, module, outline: outlined, plans });
        match instance.ask(&question) {
            Ok((Reply::Instance(exports, left), None)) => {
                instance.came_alive(&outline, exports);
                instance.note(left).map_err(|ending| Instantiation::ended(ending, State::default()))?;
                Ok(instance)
            }
            Ok((Reply::Rejected(reason), _)) => Err(Rejection(reason).into()),
            Ok((Reply::Ended(ending, left), stopped)) => {
                let ending = stopped.unwrap_or(ending);
                let ending = instance.note(left).err().unwrap_or(ending);
                Err(Instantiation::ended(ending, instance.state()))
            }
            Ok((other, _)) => Err(Instantiation::ended(ending_of(unexpected(&other)), State::default())),
            Err(broken) => Err(Instantiation::ended(ending_of(broken), State::default())),
        }
    }

    /// The exports are known now.
    fn came_alive(&mut self, outline: &Outline, exports: Vec<Exported>) {
        let number =
            |name: &String| exports.iter().find(|export| export.function.name == *name).map(|it| it.key);
        let mut places = Places::default();
        for external in &outline.imports {
            places.item(external, None);
        }
        let named = outline
            .exports
            .iter()
            .filter_map(|(name, external)| Some((name.clone(), places.item(external, number(name))?)));
        let view = View::new(items(&outline.imports)).with_exports(named);
        self.host.view = Some(Arc::new(view));
        for Exported { function, key } in exports {
            self.seen.signatures.insert(key, function.signature.clone());
            self.exports.push(function);
        }
        self.exports.sort_by(|a, b| a.name.cmp(&b.name));
    }

    /// Asks, and serves host functions until there is an answer. With it comes why a host function stopped the call, if one did.
    fn ask(&mut self, question: &Request) -> Result<(Reply, Option<Ending>), Broken> {
        let Self { shared, generation, host, seen, imported, .. } = self;
        let mut line = shared.line();
        let link = line.of_generation(*generation)?;
        link.be_patient();
        let mut reach = Reach { link: Some(link), host, seen, imported, served: 0, broken: None };
        let answered = reach.ask(question);
        line.over(answered)
    }

    /// Notes what a question left behind.
    fn note(&mut self, left: Left) -> Result<(), Ending> {
        let misfit = || {
            Ending::Infra("it does not keep to the protocol: its memories or tables do not fit".to_owned())
        };
        match left {
            Left::Contents(told) => self.seen.note(told, &self.shared.settings.limits).ok_or_else(misfit)?,
            Left::Digests(state, fuel_used) => (self.digests, self.fuel_used) = (Some(state), fuel_used),
        }
        Ok(())
    }

    fn try_call(&mut self, name: &str, arguments: &[Value]) -> Result<Vec<Value>, Ending> {
        let refused = |reason: &str| Ending::Refused(reason.to_owned());
        let function = self.exports.iter().find(|function| function.name == name);
        let function = function.ok_or_else(|| refused("there is no exported function with that name"))?;
        if !function.signature.takes(arguments) {
            return Err(refused("the arguments do not fit"));
        }
        self.pace.call(name, arguments)?;
        let mut told = self.told();
        let sent: Option<Vec<Value>> = arguments.iter().map(|value| told.sent(value)).collect();
        let sent = sent.ok_or_else(|| refused(UNKNOWN_FUNCTION))?;
        let call = CallOf { instance: self.number, function: name.to_owned(), arguments: sent };
        let (reply, stopped) = self.ask(&Request::Call(call)).map_err(ending_of)?;
        let Reply::Ended(ending, left) = reply else { return Err(ending_of(unexpected(&reply))) };
        self.note(left)?;
        match stopped.unwrap_or(ending) {
            Ending::Returned(values) => Ok(self.told().received_all(&values)),
            ending => Err(ending),
        }
    }

    /// Access to what is known without asking.
    fn told(&mut self) -> Reach<'_> {
        let Self { host, seen, imported, .. } = self;
        Reach { link: None, host, seen, imported, served: 0, broken: None }
    }

    fn view(&self) -> Arc<View<ProcessHandles>> {
        self.host.view.clone().unwrap_or_else(|| Arc::new(View::new([])))
    }
}

fn results(external: &External) -> Option<Vec<ValueType>> {
    match external {
        External::Function(signature) => Some(signature.results.clone()),
        _ => None,
    }
}

/// How many memories, globals and tables there were so far: each has the number of its place.
#[derive(Default)]
struct Places {
    memories: u32,
    globals: u32,
    tables: u32,
}

impl Places {
    /// The next item. `None` for a function without a number.
    fn item(&mut self, external: &External, function: Option<u32>) -> Option<Item<ProcessHandles>> {
        fn next(place: &mut u32) -> u32 {
            *place += 1;
            *place - 1
        }
        Some(match external {
            External::Memory { .. } => Item::Memory(next(&mut self.memories)),
            External::Global { .. } => Item::Global(next(&mut self.globals)),
            External::Table { .. } => Item::Table(next(&mut self.tables)),
            External::Function(_) => Item::Function(function?),
        })
    }
}

fn items(imports: &[External]) -> Vec<Item<ProcessHandles>> {
    let mut places = Places::default();
    imports.iter().filter_map(|external| places.item(external, None)).collect()
}

impl Instance for ProcessInstance {
    fn exports(&self) -> Vec<Function> {
        self.exports.clone()
    }

    fn call(&mut self, name: &str, arguments: &[Value]) -> Ending {
        self.try_call(name, arguments).map_or_else(|ending| ending, Ending::Returned)
    }

    /// Everything was told with the last answer.
    fn state(&mut self) -> State {
        let view = self.view();
        self.digests.clone().unwrap_or_else(|| view.state(&mut self.told()))
    }

    fn memory(&mut self, index: usize) -> Vec<u8> {
        if self.digests.is_some() {
            let asked = self.ask(&Request::Memory(self.number, index as u32));
            return match asked {
                Ok((Reply::Bytes(Bytes(bytes)), _)) => bytes,
                _ => Vec::new(),
            };
        }
        let view = self.view();
        view.memory(&mut self.told(), index)
    }

    fn table(&mut self, index: usize) -> Vec<Value> {
        if self.digests.is_some() {
            let asked = self.ask(&Request::Table(self.number, index as u32));
            return match asked {
                Ok((Reply::Values(values), _)) => values,
                _ => Vec::new(),
            };
        }
        let view = self.view();
        view.table(&mut self.told(), index)
    }

    fn fuel_used(&self) -> u64 {
        self.fuel_used
    }
}

impl Drop for ProcessInstance {
    fn drop(&mut self) {
        self.shared.line().close(self.generation, self.number);
    }
}
