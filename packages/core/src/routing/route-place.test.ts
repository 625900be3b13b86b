import { expect, test } from "@jest/globals";
import { runInThisContext } from "node:vm";
import { type Place, registrationPlace } from "./route-place.ts";

type Register = (run: () => Place) => Place;
const programAt = (filename: string): Register =>
  runInThisContext("(run) =>\n  run()", { filename }) as Register;

const ownFile = new URL("route-methods.ts", import.meta.url);

test("returns file, line and column of the call", () => {
  expect(registrationPlace().toString()).toMatch(/^\/.*\/route-place\.test\.ts:\d+:\d+$/);
});

test("skips stack frames of the package itself", () => {
  const own = programAt(ownFile.href);
  const ownByPath = programAt(decodeURIComponent(ownFile.pathname));
  const program = programAt("/srv/app/routes.ts");
  expect(program(() => own(() => ownByPath(ownFrame))).toString()).toMatch(/route-place\.test\.ts/);
  expect(own(() => ownByPath(() => program(ownFrame))).toString()).toBe("/srv/app/routes.ts:2:3");
});

/** Calls `registrationPlace` from a frame with the name of a source file of this package, so that the nearest frame outside the package is the caller's. */
const ownFrame: () => Place = runInThisContext("(register) => () => register()", { filename: ownFile.href })(
  registrationPlace,
) as () => Place;

test("skips stack frames of the runtime", () => {
  expect(programAt("node:internal/timers")(ownFrame).toString()).toMatch(/route-place\.test\.ts/);
});

test("converts file URLs to paths", () => {
  expect(programAt("file:///srv/my%20app/routes.js")(ownFrame).toString()).toBe("/srv/my app/routes.js:2:3");
  expect(programAt("file:///C:/app/routes.js")(ownFrame).toString()).toBe("C:/app/routes.js:2:3");
});

test.each([
  "/srv/@scope/app/routes.ts",
  "/srv/my app/(group)/[id]/routes.ts",
  "/srv/app (copy)/a@b.ts",
  "/srv/at home/async work/routes.ts",
  "C:\\my app\\routes.cjs",
])("keeps the whole path %s", (file) => {
  const namedProgram = runInThisContext("(function register(run) {\n  return run(); })", {
    filename: file,
  }) as Register;
  expect(namedProgram(ownFrame).toString()).toBe(`${file}:2:10`);
  expect(programAt(file)(ownFrame).toString()).toBe(`${file}:2:3`);
});

/** Returns the place for a stack with these frames above the program's frame. */
const placeIn = (...frames: string[]): string => {
  const { prepareStackTrace } = Error;
  Error.prepareStackTrace = () =>
    ["Error: place", `    at register (${ownFile.href}:1:2)`, ...frames].join("\n");
  try {
    return registrationPlace().toString();
  } finally {
    Error.prepareStackTrace = prepareStackTrace;
  }
};

test("skips installed packages, and names the first one when the whole program is installed", () => {
  const installed =
    "    at Acme.enable (file:///srv/node_modules/.pnpm/a@1/node_modules/@acme/routes/index.js:3:4)";
  const linked = "    at install (/srv/node_modules/@acme/cors/dist/index.js:5:6)";
  expect(placeIn(linked, installed, "    at file:///srv/app.ts:7:8")).toBe("/srv/app.ts:7:8");
  expect(placeIn(linked, installed)).toBe("/srv/node_modules/@acme/cors/dist/index.js:5:6");
});

test.each([
  "    at async file:///srv/@scope/my%20app%20(copy)/app.js:3:4",
  "    at async Promise.all (file:///srv/@scope/my%20app%20(copy)/app.js:3:4)",
  "register@file:///srv/@scope/my%20app%20(copy)/app.js:3:4",
  "@/srv/@scope/my app (copy)/app.js:3:4",
  "file:///srv/@scope/my%20app%20(copy)/app.js:3:4",
  "/srv/@scope/my app (copy)/app.js:3:4",
])("reads the frame %s", (frame) => {
  expect(placeIn(frame)).toBe("/srv/@scope/my app (copy)/app.js:3:4");
});

test('returns "an unknown place" without a stack', () => {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  try {
    expect(registrationPlace().toString()).toBe("an unknown place");
  } finally {
    Error.stackTraceLimit = limit;
  }
});
