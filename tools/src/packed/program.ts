/** The program of someone who installed core and the package `greeting` from the registry. */
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

/** Compiler options of a careful user: installed declarations are checked, and no condition of the workspace is set. */
export const tsconfig = (typeRoots: string): object => ({
  files: ["program.ts"],
  compilerOptions: {
    target: "es2025",
    module: "nodenext",
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    typeRoots: [typeRoots],
    types: ["node"],
  },
});
