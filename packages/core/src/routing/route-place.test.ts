import { expect, test } from "@jest/globals";
import { runInThisContext } from "node:vm";
import { type Place, registrationPlace } from "./route-place.ts";

type Register = (run: () => Place) => Place;
const programAt = (filename: string): Register =>
  runInThisContext("(run) =>\n  run()", { filename }) as Register;

const ownFile = new URL("route-methods.ts", import.meta.url);

test("names file, line and column of the call", () => {
  expect(registrationPlace().toString()).toMatch(/^\/.*\/route-place\.test\.ts:\d+:\d+$/);
});

test("skips the frames of the package itself", () => {
  const own = programAt(ownFile.href);
  const ownByPath = programAt(decodeURIComponent(ownFile.pathname));
  const program = programAt("/srv/app/routes.ts");
  expect(program(() => own(() => ownByPath(ownFrame))).toString()).toMatch(/route-place\.test\.ts/);
  expect(own(() => ownByPath(() => program(ownFrame))).toString()).toBe("/srv/app/routes.ts:2:3");
});

/** A call whose nearest frame outside the package is the caller's: its own frame has the name of a source file. */
const ownFrame: () => Place = runInThisContext("(register) => () => register()", { filename: ownFile.href })(
  registrationPlace,
) as () => Place;

test("skips the frames of the runtime", () => {
  expect(programAt("node:internal/timers")(ownFrame).toString()).toMatch(/route-place\.test\.ts/);
});

test("writes file URLs as paths", () => {
  expect(programAt("file:///srv/my%20app/routes.js")(ownFrame).toString()).toBe("/srv/my app/routes.js:2:3");
  expect(programAt("file:///C:/app/routes.js")(ownFrame).toString()).toBe("C:/app/routes.js:2:3");
});

test("says so when there is no stack", () => {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  try {
    expect(registrationPlace().toString()).toBe("an unknown place");
  } finally {
    Error.stackTraceLimit = limit;
  }
});
