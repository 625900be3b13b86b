import { Response } from "./response.ts";

/**
 * Makes ours answer `instanceof` the global `Response`, without running its constructor, which costs more than a whole request.
 *
 * Not done when the class is defined: the first touch of the global loads the runtime's whole fetch, `node:http` included.
 */
export const joinWebClass = (): void => {
  Object.setPrototypeOf(Response.prototype, globalThis.Response.prototype);
};

/**
 * Does so when somebody first asks what a reply inherits from, as `instanceof` does, so that a service in which nobody asks carries none of it.
 *
 * The global itself cannot be watched: in some lines of Node looking at its property is the first touch.
 */
export const joinWebClassWhenAsked = (): void => {
  const bridge = new Proxy(Object.prototype, {
    getPrototypeOf() {
      joinWebClass();
      return globalThis.Response.prototype;
    },
  });
  // What every promise check looks for and never finds: without it each one would go through the proxy.
  // oxlint-disable-next-line unicorn/no-thenable -- undefined: it makes nothing thenable
  Object.defineProperty(Response.prototype, "then", { value: undefined, configurable: true, writable: true });
  Object.setPrototypeOf(Response.prototype, bridge);
};
