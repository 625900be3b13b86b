// The test files of a package share the modules that they load. The runtime of jest would reload and recompile them for each file in a separate realm: that takes a
// quarter of the processor time of core's tests and two fifths of graphql's, and most code would run before V8 has optimised it.
import { createRequire, registerHooks } from "node:module";
import { pathToFileURL } from "node:url";
import { setGlobals } from "./globals.js";

const require = createRequire(import.meta.url);
const globals = new URL("globals.js", import.meta.url).href;

let hooks;
let files = 0;

/** Whether a module is a test kit. Test kits are loaded for each test file, because they may have state and hooks of that file. */
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

/** Creates the `jest` object, without the functions that replace modules: tests pass dependencies as arguments. */
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
      "the watch mode of jest would reuse the modules of its first run; use node --watch-path=src",
    );
  if (collectCoverage)
    throw new Error("jest cannot collect coverage with this runtime; set NODE_V8_COVERAGE to a folder");
};

/** A jest runtime for ES modules, without module mocks and coverage. */
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

  /** Reloads the test framework for each file, because it stores the list of tests. */
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
