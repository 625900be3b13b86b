import { Response } from "./response.ts";

/**
 * Makes ours answer `instanceof` the global `Response`, without running its constructor, which costs more than a whole request.
 *
 * Not done when the class is defined: the first touch of the global loads the runtime's whole fetch, and a service is to listen before that.
 */
export const joinWebClass = (): void => {
  Object.setPrototypeOf(Response.prototype, globalThis.Response.prototype);
};
