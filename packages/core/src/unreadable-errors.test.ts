import { expect, test } from "@jest/globals";
import { send } from "./app-requests.test-kit.ts";
import { App, FrameworkError, HttpError } from "./index.ts";

const fail = (): never => {
  throw new Error("unreadable");
};

/** A proxy that throws at every access. */
const throwing = (target: object): object =>
  new Proxy(target, {
    get: fail,
    has: fail,
    getPrototypeOf: fail,
    ownKeys: fail,
    getOwnPropertyDescriptor: fail,
  });

/** Errors of a program and of the framework, and plain objects, each with one member that throws. */
const withMember = (name: string): [label: string, thrown: unknown][] =>
  [new Error("plain"), new HttpError(404, "known"), {}].map((target) => [
    `${Object.prototype.toString.call(target)} ${(target as Error).name ?? ""} ${name}`,
    Object.defineProperty(target, name, { get: fail }),
  ]);

const members = ["framework", "name", "message", "stack", "cause", "code", "status", "detail", "error"];
const others = ["headers", "extras", "toString", "constructor", "then"];

const thrown: [label: string, thrown: unknown][] = [
  ...[...members, ...others].flatMap(withMember),
  ["a proxy of an object", throwing({})],
  ["a proxy of an error", throwing(new Error("proxied"))],
  ["a proxy of a function", throwing(() => {})],
  ["a proxy as cause", new Error("outer", { cause: throwing({}) })],
  ["a proxy as extras", Object.assign(new HttpError(404, "known"), { extras: throwing({}) })],
  ["an object without a prototype", Object.create(null)],
  [
    "a message that is not a string",
    Object.assign(new Error("text"), { message: Object.create(null) as object }),
  ],
];

test.each(thrown)(
  "%s: an error that cannot be read results in a 404 or 500, and a 500 is logged",
  async (_name, value) => {
    const app = new App();
    const logged: string[] = [];
    const log = { info() {}, warn() {}, error: (message: string) => void logged.push(message) };
    app.get("/sync", () => {
      throw value;
    });
    app.get("/async", async () => {
      await Promise.resolve();
      throw value;
    });
    await app.start({ log });
    for (const path of ["/sync", "/async"]) {
      const { status } = await send(app, path);
      expect([404, 500]).toContain(status);
      expect(logged.splice(0)).toHaveLength(status === 500 ? 1 : 0);
    }
    await app.stop();
  },
);

test.each(thrown)("%s: FrameworkError.is does not throw", (_name, value) => {
  expect([true, false]).toContain(FrameworkError.is(value));
  expect([true, false]).toContain(HttpError.is(value));
});
