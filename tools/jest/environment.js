import { ModernFakeTimers } from "@jest/fake-timers";
import { ModuleMocker } from "jest-mock";

/**
 * Runs test files in the realm of Node itself, like programs, so values that Node creates are instances of the classes that tests use.
 *
 * After each test file, undoes its changes to the process: environment variables, timers, spies, the console and `process.exit`.
 */
export default class {
  global = globalThis;
  moduleMocker = new ModuleMocker(globalThis);
  console = globalThis.console;
  exit = process.exit;
  variables = { ...process.env };

  constructor({ projectConfig: config }) {
    this.fakeTimersModern = new ModernFakeTimers({ config, global: globalThis });
  }

  /**
   * Removes the stack mapping of jest. Type stripping keeps lines and columns, so the mapping has no effect, and it copies every frame: a tenth of the
   * processor time of a suite that logs many errors.
   */
  async setup() {
    delete Error.prepareStackTrace;
    Error.stackTraceLimit = 10; // the default of Node; the 100 of jest makes each error and each assertion slower
  }

  async teardown() {
    this.fakeTimersModern.dispose();
    this.moduleMocker.restoreAllMocks();
    globalThis.console = this.console;
    process.exit = this.exit;
    for (const name of Object.keys(process.env))
      if (!Object.hasOwn(this.variables, name)) delete process.env[name];
    Object.assign(process.env, this.variables);
  }

  getVmContext() {
    return null;
  }
}
