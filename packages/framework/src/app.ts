import { App as CoreApp } from "@framework/core";
import { features } from "./features.ts";

/**
 * An application with every feature: each `enableX` loads its package when it is first called.
 *
 * @example
 * const app = new App().enableCors().enableOpenapi();
 * app.get("/books/{id}", { cache: { ttl: 60 } }, (request) => ({ id: request.params.id }));
 * await app.run({ port: 8000 });
 */
export class App extends CoreApp.with(...features) {}
