import { TestEnvironment } from "jest-environment-node";
import "./compiled-code.js";

const ordinary = Function.prototype[Symbol.hasInstance];
const names =
  "Array ArrayBuffer Date Error Map Object Promise RangeError RegExp Set SyntaxError TypeError Uint8Array";

/** Values made by Node itself come from outside jest's realm: let `instanceof` accept both realms. */
export default class extends TestEnvironment {
  constructor(config, context) {
    super(config, context);
    for (const name of names.split(" ")) {
      const [inner, outer] = [this.global[name], globalThis[name]];
      if (inner === outer) continue; // jest shares some classes between realms, such as Uint8Array
      Object.defineProperty(inner, Symbol.hasInstance, {
        value(it) {
          return ordinary.call(this, it) || (this === inner && ordinary.call(outer, it));
        },
      });
    }
  }

  /**
   * Stripped sources keep their lines and columns, so nothing is gained by jest's mapping of stacks, which copies every frame: a tenth of the processor time of a
   * suite that logs many errors.
   */
  async setup() {
    await super.setup();
    delete Error.prepareStackTrace;
  }
}
