import { Response } from "./response.ts";

/**
 * Makes our `Response` a subclass of the global `Response` for `instanceof`, without the cost of the global constructor for each reply.
 *
 * Not done when the class is defined: the first access to the global loads the runtime's complete fetch, `node:http` included.
 */
export const inheritGlobalResponse = (): void => {
  Object.setPrototypeOf(Response.prototype, globalThis.Response.prototype);
};

/**
 * Calls `inheritGlobalResponse` at the first lookup of a reply's prototype chain, as by `instanceof`, so a service without such a lookup never loads fetch.
 *
 * The global itself cannot be intercepted: in some releases of Node, reading its property descriptor is already the first access.
 */
export const inheritGlobalResponseOnLookup = (): void => {
  const bridge = new Proxy(Object.prototype, {
    getPrototypeOf() {
      inheritGlobalResponse();
      return globalThis.Response.prototype;
    },
  });
  // Every promise check reads `then`; without a property here each would go through the proxy.
  // oxlint-disable-next-line unicorn/no-thenable -- undefined: it makes nothing thenable
  Object.defineProperty(Response.prototype, "then", { value: undefined, configurable: true, writable: true });
  Object.setPrototypeOf(Response.prototype, bridge);
};
