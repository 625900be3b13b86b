// Test files share compiled code: each one loads all of its modules anew, and compiling them again took a third of that time.
import { setFlagsFromString } from "node:v8";
import vm from "node:vm";
import { readCode, storeCode } from "./stored-code.ts";

// V8's own cache holds a script, and with it all modules of a test file that has ended: memory grew by 5 MB a file, and each collection took longer.
setFlagsFromString("--no-compilation-cache");

/** Text and code of each file, bounded by the files that the tests of one package load. */
const compiled = new Map();

/** The code that V8 made of the same text before. V8 itself compares only the lengths of texts. */
const codeOf = (file, text) => {
  const known = compiled.get(file);
  if (known?.text === text) return known.code;
  const code = readCode(file, text);
  if (code !== undefined) compiled.set(file, { text, code });
  return code;
};

const keep = (file, text, code) => {
  compiled.set(file, { text, code });
  storeCode(file, text, code);
};

const { SourceTextModule, compileFunction } = vm;

vm.SourceTextModule = class extends SourceTextModule {
  constructor(text, options) {
    let cachedData = codeOf(options.identifier, text);
    try {
      super(text, { ...options, cachedData });
    } catch (error) {
      if (error.code !== "ERR_VM_MODULE_CACHED_DATA_REJECTED") throw error; // V8 refuses code from before a change of its flags
      cachedData = undefined;
      super(text, options);
    }
    if (cachedData === undefined) keep(options.identifier, text, this.createCachedData());
  }
};

vm.compileFunction = (text, parameters, options) => {
  const cachedData = codeOf(options.filename, text);
  const produceCachedData = cachedData === undefined;
  const result = compileFunction(text, parameters, { ...options, cachedData, produceCachedData });
  if (result.cachedDataRejected) compiled.set(options.filename, { text }); // made anew the next time
  if (produceCachedData) keep(options.filename, text, result.cachedData);
  return result;
};
