//! Makes any engine of ours such a process.

use std::{
    collections::BTreeMap,
    io::{self, Read, Write},
    thread,
    time::Duration,
};

use super::{
    messages::{CallOf, Exported, Hello, Instantiate, Left, Reply, Request, Terms, VERSION},
    wire::{Bytes, Wire, decoded},
};
use crate::{
    answer::{Ending, Instantiation},
    engine::{Engine, Instance},
    guard::{Guarded, GuardedInstance},
    limits::Which,
    registry::EngineEntry,
    state::State,
};

/// Answers questions about an engine in frames on `input` and `output`, until there are no more.
///
/// So an engine runs in a process of its own, where it cannot harm the one that asks. `docs/engines-in-processes.md` describes
/// the frames. Questions that run code must be asked [on a stack](crate::on_stack) of known size.
///
/// ```
/// use mutagen_oracles::{Registry, serve};
///
/// let registry = Registry::default();
/// let mut answers = Vec::new();
/// serve(registry.find("wasmi")?, &mut &b""[..], &mut answers)?;
/// assert!(answers.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// If the pipes break, a frame has no meaning, or the engine refuses the settings.
pub fn serve(entry: &EngineEntry, input: &mut impl Read, output: &mut impl Write) -> io::Result<()> {
    let mut server = Server { entry, engine: None, instances: BTreeMap::new() };
    while let Some(frame) = read_frame(input)? {
        let request = decoded(&frame).ok_or_else(|| misfit("a frame has no meaning"))?;
        if let Some(reply) = server.answer(request)? {
            write_frame(output, &reply)?;
        }
    }
    Ok(())
}

/// Ends this process soon after its parent has ended: an engine that runs for ever does not see that nobody asks any more.
pub fn end_with_parent() {
    #[cfg(unix)]
    {
        use std::os::unix::process::parent_id;
        const LOOK: Duration = Duration::from_millis(500);
        let parent = parent_id();
        let watch = move || {
            while parent_id() == parent {
                thread::sleep(LOOK);
            }
            std::process::exit(1);
        };
        // Without a thread to watch, the process still ends when its input does.
        let _ = thread::Builder::new().name("parent".to_owned()).spawn(watch);
    }
}

struct Server<'a> {
    entry: &'a EngineEntry,
    engine: Option<Guarded<Box<dyn Engine>>>,
    instances: BTreeMap<u32, GuardedInstance>,
}

impl Server<'_> {
    fn answer(&mut self, request: Request) -> io::Result<Option<Reply>> {
        Ok(Some(match request {
            Request::Hello(terms) => Reply::Hello(self.agree(&terms)?),
            Request::Validate(Bytes(module)) => Reply::Validity(self.engine()?.validate(&module)),
            Request::Instantiate(what) => self.instantiate(what)?,
            Request::Call(CallOf { instance, function, arguments }) => {
                let instance = self.instance(instance)?;
                let ending = instance.call(&function, &arguments);
                left_after(ending, instance)
            }
            Request::Memory(instance, index) => {
                Reply::Bytes(Bytes(self.instance(instance)?.memory(index as usize)))
            }
            Request::Table(instance, index) => Reply::Values(self.instance(instance)?.table(index as usize)),
            Request::Close(instance) => {
                self.instances.remove(&instance);
                return Ok(None);
            }
            _ => return Err(misfit("no host function is served")),
        }))
    }

    /// Makes the engine.
    fn agree(&mut self, terms: &Terms) -> io::Result<Hello> {
        let settings = terms.settings().ok_or_else(|| misfit("it names features that do not exist"))?;
        let engine = self.entry.make(&settings).map_err(io::Error::other)?;
        let limits = Which::ALL.into_iter().filter_map(|which| Some((which, engine.limit(which)?))).collect();
        self.engine = Some(Guarded(engine));
        Ok(Hello {
            version: VERSION,
            name: self.entry.name.to_owned(),
            engine_version: self.entry.version.clone(),
            features: self.entry.features.to_string(),
            switches_features: true,
            canonicalises: self.entry.canonicalises,
            has_fuel: self.entry.has_fuel,
            performs_plans: true,
            limits,
        })
    }

    fn engine(&self) -> io::Result<&Guarded<Box<dyn Engine>>> {
        self.engine.as_ref().ok_or_else(|| misfit("nothing was agreed on"))
    }

    fn instance(&mut self, number: u32) -> io::Result<&mut GuardedInstance> {
        self.instances.get_mut(&number).ok_or_else(|| misfit("there is no such instance"))
    }

    fn instantiate(&mut self, what: Instantiate) -> io::Result<Reply> {
        let Instantiate { instance: number, module: Bytes(module), plans, .. } = what;
        Ok(match self.engine()?.open(&module, &plans) {
            Ok(mut instance) => {
                let exported = |(function, key)| Exported { function, key };
                let exports = instance.exports().into_iter().zip(0..).map(exported).collect();
                let reply = match instance.try_state() {
                    Ok(state) => Reply::Instance(exports, Left::Digests(state, instance.fuel_used())),
                    Err(panic) => ended(Ending::Panicked(panic.0), State::default(), 0),
                };
                self.instances.insert(number, instance);
                reply
            }
            Err(Instantiation::Rejected(reason)) => Reply::Rejected(reason.0),
            Err(Instantiation::Ended { ending, state }) => ended(ending, *state, 0),
        })
    }
}

/// The answer to a call. What can be seen afterwards belongs to it.
fn left_after(ending: Ending, instance: &mut GuardedInstance) -> Reply {
    let fuel_used = instance.fuel_used();
    match instance.try_state() {
        Ok(state) => ended(ending, state, fuel_used),
        Err(_) if matches!(ending, Ending::Panicked(_)) => ended(ending, State::default(), fuel_used),
        Err(panic) => ended(Ending::Panicked(panic.0), State::default(), fuel_used),
    }
}

fn ended(ending: Ending, state: State, fuel_used: u64) -> Reply {
    Reply::Ended(ending, Left::Digests(state, fuel_used))
}

fn misfit(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("this is not the protocol: {what}"))
}

/// The next frame. `None` if there are no more.
fn read_frame(input: &mut impl Read) -> io::Result<Option<Vec<u8>>> {
    let mut length = [0; 4];
    match input.read_exact(&mut length) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        other => other?,
    }
    let mut frame = Vec::new();
    let length = u32::from_le_bytes(length).into();
    if input.take(length).read_to_end(&mut frame)? as u64 != length {
        return Err(misfit("a frame is incomplete"));
    }
    Ok(Some(frame))
}

fn write_frame(output: &mut impl Write, reply: &Reply) -> io::Result<()> {
    let mut frame = vec![0; 4];
    reply.put(&mut frame);
    let length = u32::try_from(frame.len() - 4).map_err(io::Error::other)?;
    frame[..4].copy_from_slice(&length.to_le_bytes());
    output.write_all(&frame)?;
    output.flush()
}
