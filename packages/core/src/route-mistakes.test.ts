import { expect, test } from "@jest/globals";
import { App } from "./index.ts";

test("start reports every mistake of a route with its place", async () => {
  const app = new App();
  app.get("/a", undefined as never);
  app.get("/b", { maxBodyBytes: -1, timeoutSecs: Number.NaN } as never, () => null);
  app.get("/c", { tag: ["x"], body: {} } as never, () => null);
  app.get("/d", { guards: [undefined] } as never, () => null);
  app.route("/e", { methods: [] }, () => null);
  app.route("/f", { methods: ["get" as never] }, () => null);
  app.get("/g", { name: "one" }, () => null);
  app.get("/h", { name: "one" }, () => null);
  app.route("/i", { name: "several", methods: ["PUT", "POST"] }, () => null);
  const fits = {
    "~standard": { version: 1, vendor: "x", validate: (value: unknown) => ({ value }) },
  } as const;
  app.get("/j", { errors: [409, 200, 499] as never, responses: { 409: fits } }, () => null);
  app.get("/k", { errors: 409 as never }, () => null);
  app.get(
    "/l",
    { responses: { Default: fits, "2xx": fits, "1XX": fits, 99: fits, 600: fits } as never },
    () => null,
  );
  app.get("/m", { responses: [], tags: "books", summary: 5, description: null } as never, () => null);
  app.get("/n", { responses: { 200: fits }, tags: ["", 5] as never, summary: "s" }, () => null);
  const error = await app.start().then(
    () => null,
    (reason: unknown) => reason,
  );
  const { problems } = error as { problems: { code: string; message: string }[] };
  expect(problems.map(({ code }) => code)).toEqual(Array(23).fill("CORE_BAD_ROUTE"));
  const text = problems
    .map(({ message }) => message.replace(/\(at .*route-mistakes\.test\.ts:\d+:\d+\)/, "(here)"))
    .join("\n");
  expect(text).toContain("GET /a (here): the handler must be a function");
  expect(text).toContain("GET /j (here): errors: 409 has a schema in responses; keep one of them");
  expect(text).toContain("GET /j (here): errors: 499 is not a status of an error that the framework knows");
  expect(text).toContain("GET /k (here): errors must be a list of statuses, such as [404, 409]");
  for (const status of ["Default", "2xx", "1XX", "99", "600"])
    expect(text).toContain(
      `GET /l (here): responses: "${status}" is not a status from 200 to 599, "2XX" to "5XX", or "default"`,
    );
  expect(text).toContain(
    "GET /m (here): responses must be an object of schemas by status, such as { 200: Book }",
  );
  expect(text).toContain("GET /m (here): summary must be a string");
  expect(text).toContain("GET /m (here): description must be a string");
  for (const path of ["/m", "/n"])
    expect(text).toContain(`GET ${path} (here): tags must be a list of strings, such as ["books"]`);
  expect(text).toContain("GET /b (here): maxBodyBytes must be a whole number of at least 0");
  expect(text).toContain('GET /c (here): there is no option "tag"; did you mean "tags"?');
  expect(text).toContain("GET /c (here): body must be a schema that follows Standard Schema");
  expect(text).toContain("GET /d (here): a guard must be");
  expect(text).toContain(" /e (here): methods must be a list of some of GET");
  expect(text).toContain("get /f (here): methods must be a list of some of GET");
  expect(text).toContain('GET /h (here): the name "one" is taken by GET /g');
});

test("a class as a handler is a start error, because a call of it would fail", async () => {
  const app = new App();
  app.get("/", class Books {} as never);
  await expect(app.start()).rejects.toThrow(
    /GET \/ \(at .*\): the handler must be a function; a class cannot be called/,
  );
});
