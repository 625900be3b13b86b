import { ModernFakeTimers } from "@jest/fake-timers";
import { ModuleMocker } from "jest-mock";

/**
 * Runs test files in Node's own realm, where programs run too: values of Node and of the tests have the same classes.
 *
 * Changes of a file to the process are undone at its end: variables, timers, spies, the console and `process.exit`.
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
   * Sources keep their lines and columns when their types are stripped, so jest's mapping of stacks is useless, and it copies every frame: a tenth of the
   * processor time of a suite that logs many errors.
   */
  async setup() {
    delete Error.prepareStackTrace;
    Error.stackTraceLimit = 10; // Node's own: jest's 100 makes each error, and each assertion, cost more
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
