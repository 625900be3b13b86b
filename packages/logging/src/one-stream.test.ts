import { type Logger, RequestId } from "@framework/core";
import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { loggedApp } from "./collected-log.test-kit.ts";

test("until the app stops, the framework's lines are written to the destination of enableLogging, with the request's id", async () => {
  const { app, lines } = loggedApp();
  const own: string[] = [];
  let redirected: Logger | null = null;
  const write =
    (level: "info" | "warn" | "error"): Logger["info"] =>
    (message, fields) => {
      if (redirected === null) own.push(message);
      else redirected[level](message, fields);
    };
  const log: Logger = {
    info: write("info"),
    warn: write("warn"),
    error: write("error"),
    redirect(to) {
      redirected = to;
      return () => (redirected = null);
    },
  };
  app.use((request, next) => {
    request.context.set(RequestId, "id-1");
    return next(request);
  });
  app.get("/", () => {
    throw new Error("no luck");
  });
  await app.start({ log });
  await app.fetch(new Request("http://host.test/"));
  await waitFor(() => lines().length === 2);
  expect(lines()[0]).toMatchObject({
    level: "error",
    message: "GET / failed: no luck",
    error: { name: "Error", message: "no luck", stack: expect.stringContaining("one-stream.test.ts") },
    request_id: "id-1",
  });
  expect(lines()[1]).toMatchObject({ status: 500, request_id: "id-1" });
  expect(own).toEqual([]);
  await app.stop();
  log.error("after");
  expect(own).toEqual(["after"]);
});
