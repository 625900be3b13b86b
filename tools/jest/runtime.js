// The test files of a package share the modules that they load. Jest's own runtime reloads and recompiles them for each file, in a separate realm: a quarter of
// the processor time of core's tests, and two fifths of graphql's. Most code would run before V8 has optimised it.
import { createRequire, registerHooks } from "node:module";
import { pathToFileURL } from "node:url";
import { setGlobals } from "./globals.js";

const require = createRequire(import.meta.url);
const globals = new URL("globals.js", import.meta.url).href;

let hooks;
let files = 0;

/** Test kits are loaded for each test file: they may hold state, and hooks that belong to the file. */
const isKit = (url) => url.endsWith(".test-kit.ts");

const conditions = (specifier, context) =>
  specifier.startsWith("@framework/")
    ? { ...context, conditions: [...context.conditions, "@framework/source"] }
    : context;

const resolveWith = (mapping) => {
  const bundled = new Map(mapping.map(([name, file]) => [name.slice(1, -1), pathToFileURL(file).href]));
  bundled.set("@jest/globals", globals);
  return (specifier, context, next) => {
    const url = bundled.get(specifier);
    if (url !== undefined) return { url, shortCircuit: true };
    const found = next(specifier, conditions(specifier, context));
    return isKit(found.url) ? { ...found, url: `${found.url}?of=${files}` } : found;
  };
};

/** The part of jest's `jest` that does not replace modules: tests replace dependencies with arguments. */
const jestOf = ({ moduleMocker, fakeTimersModern: timers }) => {
  const jest = {
    fn: moduleMocker.fn.bind(moduleMocker),
    spyOn: moduleMocker.spyOn.bind(moduleMocker),
    useFakeTimers(options) {
      timers.useFakeTimers(options);
      return jest;
    },
    useRealTimers() {
      timers.useRealTimers();
      return jest;
    },
    advanceTimersByTime: (ms) => timers.advanceTimersByTime(ms),
    advanceTimersByTimeAsync: (ms) => timers.advanceTimersByTimeAsync(ms),
    getTimerCount: () => timers.getTimerCount(),
  };
  return jest;
};

const refuse = ({ watch, watchAll, collectCoverage }) => {
  if (watch || watchAll)
    throw new Error(
      "jest's watch mode would go on with the modules of its first run: use node --watch-path=src",
    );
  if (collectCoverage) throw new Error("jest collects no coverage here: set NODE_V8_COVERAGE to a folder");
};

/** The interface of a jest runtime, for ES modules without mocks of modules and without coverage. */
export default class {
  constructor(config, environment, _resolver, _transformer, _files, _coverage, _path, globalConfig) {
    refuse(globalConfig);
    this.environment = environment;
    hooks ??= registerHooks({ resolve: resolveWith(config.moduleNameMapper) });
    files += 1;
  }

  setGlobalsForRuntime(globals) {
    setGlobals({ ...globals, jest: jestOf(this.environment) });
  }

  unstable_shouldLoadAsEsm() {
    return true;
  }

  unstable_importModule(path) {
    return import(pathToFileURL(path).href);
  }

  requireModule(path) {
    return require(path);
  }

  /** Reloads the test framework for each file, because it keeps the list of tests. */
  requireInternalModule(path) {
    delete require.cache[path];
    delete globalThis[Symbol.for("EVENT_HANDLERS")];
    return require(path);
  }

  getSourceMaps() {
    return new Map();
  }

  getAllCoverageInfoCopy() {}
  enterTestCode() {}
  leaveTestCode() {}
  teardown() {}
}
