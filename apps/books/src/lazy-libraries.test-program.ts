import { createRequire } from "node:module";
import { createBooksApp } from "./app.ts";

/** Starts the service, and prints the CommonJS packages that are loaded. */
const app = createBooksApp();
await app.start({ log: { info() {}, warn() {}, error() {} } });
const files = Object.keys(createRequire(import.meta.url).cache);
const names = files.map((file) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? "");
console.log(JSON.stringify([...new Set(names)]));
await app.stop();
