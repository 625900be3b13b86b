import { expect, test } from "@jest/globals";
import { conditionsIn } from "./conditions.ts";
import { listeningUrl } from "./listening-url.ts";

test.each([
  ['{"event":"listening","url":"http://127.0.0.1:4711","workers":1,"pid":1}', "http://127.0.0.1:4711"],
  ['{"event":"listening","url":"https://[::1]:4711"}', "https://[::1]:4711"],
  ["listening on http://localhost:3000", "http://localhost:3000"],
  ["Server running at http://127.0.0.1:8080/, docs at http://127.0.0.1:8080/docs", "http://127.0.0.1:8080"],
  ["(http://0.0.0.0:80)", "http://127.0.0.1"],
  ["on http://[::]:3000/", "http://[::1]:3000"],
  ["Local: \u001b[36mhttp://localhost:\u001b[1m5173\u001b[22m/\u001b[39m", "http://localhost:5173"],
])("%s is an address", (line, url) => {
  expect(listeningUrl(line)).toBe(url);
});

test.each([
  "",
  "starting",
  "see https://example.com:8080",
  "http://localhost.example.com:80",
  "http://127.0.0.1.example.com",
  '{"level":"info","message":"proxying http://127.0.0.1:9999"}',
  '{"event":"listening"}',
  '{"event":"listening","url":"nothing"}',
  "{not json",
  "null",
])("%s is not an address", (line) => {
  expect(listeningUrl(line)).toBeNull();
});

test("finds the conditions of a command line in either spelling", () => {
  const execArgv = ["--conditions=a", "--no-warnings", "--conditions", "b", "-C", "c", "-Cd", "--conditions"];
  expect(conditionsIn(execArgv)).toEqual(["a", "b", "c", "d"]);
});
