// The V8 of Node as an engine in a process: `docs/engines-in-processes.md` describes what is said on standard input and output.
//
// JavaScript cannot pass vectors, and loses bits of NaNs. So no number ever becomes one of JavaScript: small modules that are
// made here move parameters, results and the values of globals through a memory of their own, bit by bit. Only references pass
// through JavaScript.
'use strict';
const fs = require('fs');
const v8 = require('v8');
const { Worker } = require('worker_threads');

// ---- An engine that runs for ever does not outlive the process that asked it.

const watch = 'const p = process.ppid; setInterval(() => { if (process.ppid !== p) process.kill(process.pid, "SIGKILL") }, 500)';
new Worker(watch, { eval: true }).unref();

// ---- Frames.

let input = Buffer.alloc(1 << 16), begin = 0, end = 0;

// Node switches its pipes to modes in which they do not wait, so waiting is done here.
const nobody = new Int32Array(new SharedArrayBuffer(4));

function waiting(attempt) {
  for (;;) {
    try {
      return attempt();
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
      Atomics.wait(nobody, 0, 0, 1);
    }
  }
}

function need(bytes) {
  if (end - begin >= bytes) return;
  if (begin + bytes > input.length) {
    const rest = input.subarray(begin, end);
    const room = bytes > input.length ? Buffer.alloc(bytes + (1 << 16)) : input;
    rest.copy(room);
    [input, begin, end] = [room, 0, rest.length];
  }
  while (end - begin < bytes) {
    const got = waiting(() => fs.readSync(0, input, end, input.length - end));
    if (got === 0) process.exit(0);
    end += got;
  }
}

// The frame that is read: it is gone when the next one is received.
let frame, at;

function receive() {
  if (begin === end) begin = end = 0;
  need(4);
  const length = input.readUInt32LE(begin);
  begin += 4;
  need(length);
  frame = input.subarray(begin, begin + length);
  begin += length;
  at = 0;
  return u8();
}

const u8 = () => frame[at++];
const bool = () => u8() !== 0;
const u32 = () => { at += 4; return frame.readUInt32LE(at - 4) };
const u64 = () => { at += 8; return frame.readBigUInt64LE(at - 8) };
const copied = (length) => { at += length; return Buffer.from(frame.subarray(at - length, at)) };
const bytes = () => copied(u32());
const string = () => bytes().toString();
const list = (read) => Array.from({ length: u32() }, read);
const option = (read) => bool() ? read() : null;

let output = Buffer.alloc(1 << 16), written = 4;

function room(bytes) {
  if (written + bytes > output.length) {
    const larger = Buffer.alloc(2 * output.length + bytes);
    output.copy(larger, 0, 0, written);
    output = larger;
  }
}

const putU8 = (value) => { room(1); output[written++] = value };
const putU32 = (value) => { room(4); written = output.writeUInt32LE(value, written) };
const putU64 = (value) => { room(8); written = output.writeBigUInt64LE(BigInt(value), written) };
const putRaw = (raw) => { room(raw.length); output.set(raw, written); written += raw.length };
const putBytes = (raw) => { putU32(raw.length); putRaw(raw) };
const putString = (text) => putBytes(Buffer.from(text));
const putList = (values, put) => { putU32(values.length); for (const value of values) put(value) };

function send() {
  output.writeUInt32LE(written - 4, 0);
  for (let sent = 0; sent < written;) sent += waiting(() => fs.writeSync(1, output, sent, written - sent));
  written = 4;
}

// ---- Values. Numbers are their bytes; references are what JavaScript has for them.

const [I32, I64, F32, F64, V128, FUNCREF, EXTERNREF] = [0x7f, 0x7e, 0x7d, 0x7c, 0x7b, 0x70, 0x6f];
const SIZE = { [I32]: 4, [I64]: 8, [F32]: 4, [F64]: 8, [V128]: 16 };
const isReference = (type) => type === FUNCREF || type === EXTERNREF;

// References to functions stay numbers until it is known which instance is meant.
function value() {
  const type = u8();
  return { type, is: isReference(type) ? option(u32) : copied(SIZE[type]) };
}

function putValue(instance, { type, is }) {
  putU8(type);
  if (!isReference(type)) return putRaw(is);
  putU8(is === null ? 0 : 1);
  if (is !== null) putU32(type === FUNCREF ? instance.number(is) : is);
}

const signature = () => ({ parameters: list(u8), results: list(u8) });

function external() {
  const kind = u8();
  if (kind === 0) return { kind, ...signature() };
  if (kind === 1) return { kind, wide: bool(), initial: u64(), maximum: option(u64) };
  if (kind === 2) return { kind, wide: bool(), initial: u64(), maximum: option(u64), type: value().type };
  return { kind, initial: value(), mutable: bool() };
}

// ---- Modules that are made here.

const number = (value) => {
  const bytes = [];
  for (value = BigInt(value); value > 127n; value >>= 7n) bytes.push(Number(value & 127n) | 128);
  return [...bytes, Number(value)];
};
const vector = (items) => [...number(items.length), ...items.flat()];
const name = (text) => vector([...Buffer.from(text)]);
const section = (id, content) => [id, ...vector(vector(content))];
const assemble = (...sections) => new WebAssembly.Module(new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, ...sections.flat()]));

const functionType = (parameters, results) => [0x60, ...vector(parameters), ...vector(results)];
const code = (locals, instructions) => vector([...vector(locals.map((type) => [1, type])), ...instructions, 0x0b]);
const MEMORY_IMPORT = [...name(''), ...name('memory'), 2, 0, 1];

// Where parameters and results stand in the memory between the two worlds.
const RESULTS = 32768;
const parameterPlace = (position) => 16 * position;
const resultPlace = (position) => RESULTS + 16 * position;
const between = new WebAssembly.Memory({ initial: 1 });
const scratch = Buffer.from(between.buffer);

const LOAD = { [I32]: [0x28, 2], [I64]: [0x29, 3], [F32]: [0x2a, 2], [F64]: [0x2b, 3], [V128]: [0xfd, 0, 4] };
const STORE = { [I32]: [0x36, 2], [I64]: [0x37, 3], [F32]: [0x38, 2], [F64]: [0x39, 3], [V128]: [0xfd, 11, 4] };
const ZERO = [0x41, 0];
const load = (type, place) => [...ZERO, ...LOAD[type], ...number(place)];
const store = (type, place, local) => [...ZERO, ...getLocal(local), ...STORE[type], ...number(place)];
const getLocal = (local) => [0x20, ...number(local)];
const setLocals = (first, count) => Array.from({ length: count }, (_, i) => [0x21, ...number(first + count - 1 - i)]).flat();

// What the sides pass to each other through JavaScript.
const references = ({ parameters, results }) => functionType(parameters.filter(isReference), results.filter(isReference));

function cached(make) {
  const made = new Map();
  return (shape) => {
    const key = JSON.stringify(shape);
    if (!made.has(key)) made.set(key, make(shape));
    return made.get(key);
  };
}

// Calls the function in the table with parameters from memory, and leaves the results there.
const called = new WebAssembly.Table({ element: 'anyfunc', initial: 1 });
const thunk = cached((shape) => {
  const { parameters, results } = shape;
  const locals = parameters.filter(isReference).length;
  let reference = 0;
  const module = assemble(
    section(1, [functionType(parameters, results), references(shape)]),
    section(2, [MEMORY_IMPORT, [...name(''), ...name('table'), 1, 0x70, 0, 1]]),
    section(3, [[1]]),
    section(7, [[...name('f'), 0, 0]]),
    section(10, [code(results, [
      ...parameters.map((type, i) => isReference(type) ? getLocal(reference++) : load(type, parameterPlace(i))).flat(),
      ...ZERO, 0x11, 0, 0,
      ...setLocals(locals, results.length),
      ...results.map((type, i) => isReference(type) ? [] : store(type, resultPlace(i), locals + i)).flat(),
      ...results.map((type, i) => isReference(type) ? getLocal(locals + i) : []).flat(),
    ])]),
  );
  return new WebAssembly.Instance(module, { '': { memory: between, table: called } }).exports.f;
});

// A function that leaves its parameters in memory, calls JavaScript, and takes its results from there.
const hostModule = cached((shape) => {
  const { parameters, results } = shape;
  const returned = results.filter(isReference);
  let reference = parameters.length;
  return assemble(
    section(1, [functionType(parameters, results), references(shape)]),
    section(2, [MEMORY_IMPORT, [...name(''), ...name('host'), 0, 1]]),
    section(3, [[0]]),
    section(7, [[...name('f'), 0, 1]]),
    section(10, [code(returned, [
      ...parameters.map((type, i) => isReference(type) ? [] : store(type, parameterPlace(i), i)).flat(),
      ...parameters.map((type, i) => isReference(type) ? getLocal(i) : []).flat(),
      0x10, 0,
      ...setLocals(parameters.length, returned.length),
      ...results.map((type, i) => isReference(type) ? getLocal(reference++) : load(type, resultPlace(i))).flat(),
    ])]),
  );
});

// Reads a global to memory and sets it from there.
const globalModule = cached(({ type, mutable }) => assemble(
  section(1, [functionType([], [])]),
  section(2, [MEMORY_IMPORT, [...name(''), ...name('global'), 3, type, mutable ? 1 : 0]]),
  section(3, mutable ? [[0], [0]] : [[0]]),
  section(7, [[...name('get'), 0, 0], ...(mutable ? [[...name('set'), 0, 1]] : [])]),
  section(10, [
    code([], [...ZERO, 0x23, 0, ...STORE[type], ...number(RESULTS)]),
    ...(mutable ? [code([], [...load(type, 0), 0x24, 0])] : []),
  ]),
));

const provided = (...sections) => new WebAssembly.Instance(assemble(...sections)).exports.it;
const limits = ({ wide, initial, maximum }) =>
  [(wide ? 4 : 0) | (maximum === null ? 0 : 1), ...number(initial), ...(maximum === null ? [] : number(maximum))];
const CONSTANT = { [F32]: [0x43], [F64]: [0x44], [V128]: [0xfd, 12] };

function providedGlobal({ initial: { type, is }, mutable }) {
  const global = (value, start) => new WebAssembly.Global({ value, mutable }, start);
  if (type === I32) return global('i32', is.readInt32LE());
  if (type === I64) return global('i64', is.readBigInt64LE());
  if (type === FUNCREF) return global('anyfunc', null);
  if (type === EXTERNREF) return global('externref', is);
  return provided(section(6, [[type, mutable ? 1 : 0, ...CONSTANT[type], ...is, 0x0b]]), section(7, [[...name('it'), 3, 0]]));
}

function given(external, instance, imported) {
  if (external.kind === 0) return instance.hostFunction(imported.functions++, external);
  if (external.kind === 1) return provided(section(5, [limits(external)]), section(7, [[...name('it'), 2, 0]]));
  if (external.kind === 2) {
    return provided(section(4, [[external.type, ...limits(external)]]), section(7, [[...name('it'), 1, 0]]));
  }
  return providedGlobal(external);
}

// ---- Instances.

// Whether the client was told something by a host function and has not been heard yet.
let told = false;

const TRAP = Symbol('a host function trapped');
const STOP = Symbol('stopped');
const ZEROS = Buffer.alloc(1024);
let tableLimit = 0;

class Instance {
  constructor(outline) {
    [this.memories, this.globals, this.tables] = [[], [], []];
    [this.functions, this.numbers, this.signatures, this.exports] = [[], new Map(), new Map(), []];
    const imported = { functions: 0 };
    this.imports = outline.imports.map((external) => {
      const it = given(external, this, imported);
      this.add(external, it);
      return it;
    });
    this.outline = outline;
  }

  start(module) {
    // Names of imports may repeat, so they are counted instead.
    let next = 0;
    const some = new Proxy({}, { get: () => this.imports[next++] });
    const all = new Proxy({}, { get: () => some });
    const made = new WebAssembly.Instance(module, all);
    for (const [name, external] of this.outline.exports) {
      const it = made.exports[name];
      this.add(external, it);
      if (external.kind !== 0) continue;
      this.signatures.set(it, external);
      this.exports.push({ name, external, number: this.number(it) });
    }
    this.byName = new Map(this.outline.exports.map(([name, external]) => [name, [made.exports[name], external]]));
  }

  add(external, it) {
    if (external.kind === 1) this.memories.push({ ...external, it });
    if (external.kind === 2) this.tables.push({ ...external, it });
    if (external.kind === 3) this.globals.push(new Global(external, it));
  }

  number(it) {
    if (!this.numbers.has(it)) {
      this.numbers.set(it, this.functions.length);
      this.functions.push(it);
    }
    return this.numbers.get(it);
  }

  // What JavaScript has for a reference.
  reference({ type, is }) {
    return type === FUNCREF && is !== null ? this.functions[is] ?? null : is;
  }

  hostFunction(number, shape) {
    const host = (...references) => this.serve(number, shape, references);
    return new WebAssembly.Instance(hostModule(shape), { '': { memory: between, host } }).exports.f;
  }

  serve(number, { parameters, results }, references) {
    let next = 0;
    const got = parameters.map((type, i) => taken(type, parameterPlace(i), () => references[next++]));
    written = 4;
    putU8(16);
    putU32(number);
    putList(got, (value) => putValue(this, value));
    for (;;) {
      told = true;
      send();
      const order = receive();
      told = false;
      if (order === 17) throw TRAP;
      if (order === 18) throw STOP;
      if (order === 16) {
        const returned = list(value);
        returned.forEach((value, i) => { if (!isReference(value.type)) scratch.set(value.is, resultPlace(i)) });
        const through = returned.filter(({ type }) => isReference(type)).map((value) => this.reference(value));
        return through.length < 2 ? through[0] : through;
      }
      ORDERS[order](this);
    }
  }

  invoke(it, { parameters, results }, values) {
    values.forEach((value, i) => { if (!isReference(value.type)) scratch.set(value.is, parameterPlace(i)) });
    const through = values.filter(({ type }) => isReference(type)).map((value) => this.reference(value));
    called.set(0, it);
    const returned = thunk({ parameters, results })(...through);
    const several = results.filter(isReference).length > 1;
    let next = 0;
    return results.map((type, i) => taken(type, resultPlace(i), () => several ? returned[next++] : returned));
  }

  // Calls. Returns what says how that ended: nothing may be written before, since host functions write as well.
  call(it, external, values) {
    try {
      const results = this.invoke(it, external, values);
      return () => { putU8(0); putList(results, (value) => putValue(this, value)) };
    } catch (error) {
      return () => putEnding(error);
    }
  }

  putLeft() {
    putU8(0);
    putList(this.memories, ({ it }) => putMemory(it));
    putList(this.globals, (global) => putValue(this, global.value()));
    putList(this.tables, (table) => this.putTable(table));
  }

  putTable({ type, it }) {
    const others = [];
    for (let index = 0; index < Number(it.length); index++) {
      const element = it.get(typeof it.length === 'bigint' ? BigInt(index) : index);
      if (element !== null) others.push([index, element]);
    }
    putValue(this, { type, is: null });
    putU64(it.length);
    putList(others, ([index, is]) => { putU64(index); putValue(this, { type, is }) });
  }
}

// A value that stands in memory, or a reference.
const taken = (type, place, reference) =>
  ({ type, is: isReference(type) ? reference() : Buffer.from(scratch.subarray(place, place + SIZE[type])) });

function putMemory(it) {
  const all = Buffer.from(it.buffer), pieces = [];
  for (let address = 0; address < all.length; address += 1024) {
    if (all.compare(ZEROS, 0, 1024, address, address + 1024) !== 0) pieces.push(address);
  }
  putU64(all.length);
  putList(pieces, (address) => { putU64(address); putBytes(all.subarray(address, address + 1024)) });
}

class Global {
  constructor({ initial, mutable }, it) {
    [this.type, this.mutable, this.it] = [initial.type, mutable, it];
  }

  // What reads and sets it, which is made when it is first needed.
  get access() {
    const imports = { '': { memory: between, global: this.it } };
    this.made ??= new WebAssembly.Instance(globalModule({ type: this.type, mutable: this.mutable }), imports).exports;
    return this.made;
  }

  value() {
    if (this.type === I32) scratch.writeInt32LE(this.it.value, RESULTS);
    else if (this.type === I64) scratch.writeBigInt64LE(this.it.value, RESULTS);
    else if (!isReference(this.type)) this.access.get();
    return taken(this.type, RESULTS, () => this.it.value);
  }

  set(value, reference) {
    if (!this.mutable || value.type !== this.type) return false;
    if (isReference(this.type)) {
      this.it.value = reference;
    } else {
      scratch.set(value.is, 0);
      this.access.set();
    }
    return true;
  }
}

// ---- Orders of the client while a host function is served.

const putDone = (done) => { putU8(17); putU8(done ? 1 : 0) };
const putGrew = (from) => { putU8(18); putU8(from === null ? 0 : 1); if (from !== null) putU64(from) };
const tried = (attempt, otherwise) => { try { return attempt() } catch { return otherwise } };
const counted = (wide, count) => wide ? count : Number(count);

const ORDERS = {
  19: (instance) => {
    const [memory, address, content] = [instance.memories[u32()], u64(), bytes()];
    const fits = memory !== undefined && address + BigInt(content.length) <= BigInt(memory.it.buffer.byteLength);
    if (fits) new Uint8Array(memory.it.buffer).set(content, Number(address));
    putDone(fits);
  },
  20: (instance) => {
    const [memory, pages] = [instance.memories[u32()], u64()];
    putGrew(tried(() => memory.it.grow(counted(memory.wide, pages)), null));
  },
  21: (instance) => {
    const [table, elements, element] = [instance.tables[u32()], u64(), value()];
    const grow = () => table.it.grow(counted(table.wide, elements), instance.reference(element));
    putGrew(table !== undefined && element.type === table.type ? tried(grow, null) : null);
  },
  22: (instance) => {
    const [global, content] = [instance.globals[u32()], value()];
    putDone(global !== undefined && tried(() => global.set(content, instance.reference(content)), false));
  },
  23: (instance) => {
    const [table, index, element] = [instance.tables[u32()], u64(), value()];
    const set = () => { table.it.set(counted(table.wide, index), instance.reference(element)); return true };
    putDone(table !== undefined && element.type === table.type && tried(set, false));
  },
  24: (instance) => {
    const [it, values] = [instance.functions[u32()], list(value)];
    const put = instance.call(it, instance.signatures.get(it), values);
    settle();
    putU8(19);
    put();
  },
};

// ---- How V8 words traps. It has one text for NaNs and for floats that are too large, and one for null and for another
// signature.

const TRAPS = [
  [/^unreachable$/, 0],
  [/^(divide|remainder) by zero$/, 1],
  [/^divide result unrepresentable$/, 2],
  [/memory access out of bounds$|data segment .*out of bounds/, 4],
  [/table.*out of bounds|element segment.*out of bounds/, 5],
  [/^float unrepresentable in integer range$/, 11],
  [/function signature mismatch/, 12],
];

function putEnding(error) {
  if (error === TRAP) return putU8(1), putU8(10);
  if (error instanceof RangeError && error.message.startsWith('Maximum call stack')) return putU8(1), putU8(8);
  if (error instanceof WebAssembly.RuntimeError) {
    const known = TRAPS.find(([text]) => text.test(error.message));
    if (known) return putU8(1), putU8(known[1]);
    return putU8(5), putString(error.message);
  }
  putU8(6);
  putString(String(error));
}

// ---- Questions.

// How long a table may be that a module defines, and how long one may become when it runs.
const MOST_ELEMENTS = 10_000_000;
let allowed = null;

function allowElements(elements) {
  if (allowed !== elements) v8.setFlagsFromString(`--wasm-max-table-size=${elements}`);
  allowed = elements;
}

// The module that was compiled last: it is usually asked about again.
let last = { bytes: Buffer.alloc(0), module: null };

function compiled(bytes) {
  if (last.module !== null && bytes.equals(last.bytes)) return last.module;
  allowElements(MOST_ELEMENTS);
  last = { bytes, module: null };
  last.module = new WebAssembly.Module(bytes);
  return last.module;
}

const valid = (...sections) => tried(() => assemble(...sections) !== null, false);
const oneFunction = (instructions) =>
  valid(section(1, [functionType([], [])]), section(3, [[0]]), section(10, [code([], instructions)]));
const FEATURES = {
  'mutable-global': () => valid(section(6, [[I32, 1, 0x41, 0, 0x0b]]), section(7, [[...name('g'), 3, 0]])),
  'multi-value': () => valid(section(1, [functionType([], [I32, I32])])),
  'sign-extension': () => oneFunction([0x41, 0, 0xc0, 0x1a]),
  'saturating-float-to-int': () => oneFunction([0x43, 0, 0, 0, 0, 0xfc, 0, 0x1a]),
  'bulk-memory': () => valid(section(5, [[0, 0]]), section(11, [[1, 0]])),
  'reference-types': () => oneFunction([0xd0, 0x6f, 0x1a]),
  'simd': () => oneFunction([0xfd, 12, ...Array(16).fill(0), 0x1a]),
  'tail-call': () => oneFunction([0x12, 0]),
  'extended-const': () => valid(section(6, [[I32, 0, 0x41, 0, 0x41, 0, 0x6a, 0x0b]])),
  'multi-memory': () => valid(section(5, [[0, 0], [0, 0]])),
  'memory64': () => valid(section(5, [[4, 0]])) && valid(section(4, [[0x70, 4, 0]])),
};

// What V8 takes at most, by the numbers of the protocol.
const LIMITS = [
  [1, 1_000_000], [2, 1_000], [3, 1_000], [4, 100_000], [5, 1_000_000], [6, 100], [7, 100], [8, 1_000_000], [9, 1_000_000],
  [10, 100_000], [11, 100_000], [12, 100_000], [13, 7_654_321], [14, 50_000], [16, 65_520], [19, 65_536], [20, MOST_ELEMENTS],
];

const instances = new Map();

const QUESTIONS = {
  0: () => {
    const version = u32();
    string();
    bool();
    [u64(), u64()];
    tableLimit = Number(u64());
    const { node, v8: engine } = process.versions;
    putU8(0);
    putU32(1);
    putString('node');
    putString(`${node} (V8 ${engine})`);
    putString(Object.keys(FEATURES).filter((feature) => FEATURES[feature]()).join(','));
    for (const can of [false, false, false, false]) putU8(can ? 1 : 0);
    putList(LIMITS, ([which, most]) => { putU8(which); putU64(most) });
  },
  1: () => {
    const module = bytes();
    let answer = [0];
    try {
      compiled(module);
    } catch (error) {
      answer = [error instanceof WebAssembly.CompileError ? 1 : 3, String(error.message)];
    }
    putU8(1);
    putU8(answer[0]);
    if (answer.length > 1) putString(answer[1]);
  },
  2: () => {
    const [number, content] = [u32(), bytes()];
    const outline = { imports: list(external), exports: list(() => [string(), external()]) };
    let module, instance;
    try {
      module = compiled(content);
    } catch (error) {
      if (!(error instanceof WebAssembly.CompileError)) return putFailed(error, null);
      putU8(3);
      return putString(error.message);
    }
    allowElements(tableLimit);
    try {
      instance = new Instance(outline);
      instance.start(module);
    } catch (error) {
      return putFailed(error, instance);
    }
    instances.set(number, instance);
    putU8(2);
    putList(instance.exports, ({ name, external, number }) => {
      putString(name);
      putList(external.parameters, putU8);
      putList(external.results, putU8);
      putU32(number);
    });
    instance.putLeft();
  },
  3: () => {
    const [instance, name, values] = [instances.get(u32()), string(), list(value)];
    allowElements(tableLimit);
    const [it, external] = instance.byName.get(name);
    const put = instance.call(it, external, values);
    settle();
    putU8(4);
    put();
    instance.putLeft();
  },
};

// The stack may end anywhere in a host function, also between what it says and what it is told.
function settle() {
  written = 4;
  if (told) receive();
  told = false;
}

function putFailed(error, instance) {
  settle();
  putU8(4);
  putEnding(error);
  (instance ?? new Instance({ imports: [], exports: [] })).putLeft();
}

for (;;) {
  const question = receive();
  if (question === 4) {
    instances.delete(u32());
  } else {
    QUESTIONS[question]();
    send();
  }
}
