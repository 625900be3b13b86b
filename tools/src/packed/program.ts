/** A program of a user with core and the package `greeting` installed. */
export const PROGRAM = `import { App } from "@framework/core";
import { greeting } from "@framework/greeting";

class Books extends App.with(greeting) {}

const app = new Books().enableGreeting({ value: "packed" });
app.get("/books/{id}", (request) => ({ id: request.params.id }));

const reply = await app.fetch(new Request("http://localhost/books/7"));
console.log("fetch", reply.status, reply.headers.get("X-Greeting"), await reply.text());

const running = await new Books().enableGreeting().run({ port: 0, logs: false });
console.log("listening", running.url);
`;

/** An installed feature that adds a route with a mistake. */
export const FAULTY_FEATURE = `export const faulty = {
  name: "faulty",
  install: (host) => ({
    enableFaulty() { host.http.route("GET", "/faulty", () => "", { timeoutSecs: -1 }); return this; },
  }),
};
`;

/** A program with a mistake in each of its lines. */
export const MISTAKES = `import { App } from "@framework/core";
import { faulty } from "faulty";

const app = new (App.with(faulty))();
app.get("/books", () => []);
app.get("/books", () => []);
app.get("/misspelt", { summry: "?" }, () => []);
app.enableFaulty();
await app.run();
`;

/** A tsconfig.json. */
interface UserConfig {
  readonly include: readonly string[];
  readonly compilerOptions: object;
}

/** Strict compiler options of a user: installed declarations are checked, and no condition of the workspace is set. */
export const tsconfig = (include: readonly string[]): UserConfig => ({
  include,
  compilerOptions: {
    target: "es2025",
    module: "nodenext",
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
  },
});
