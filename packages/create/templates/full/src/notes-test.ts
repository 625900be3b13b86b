import assert from "node:assert/strict";
import { test } from "node:test";
import { JwtAuth } from "@framework/auth";
import { testClient } from "@framework/testing";
import { createApp } from "./app.ts";
import { readSettings } from "./settings.ts";

const AUTH_SECRET = "a secret for tests, at least 32 bytes";
const auth = new JwtAuth({ secret: AUTH_SECRET });
const client = () =>
  testClient(createApp(readSettings({ AUTH_SECRET, DATABASE_URL: "sqlite://:memory:", LOG_LEVEL: "error" })));
const as = async (sub: string, ...roles: string[]) => ({
  authorization: `Bearer ${await auth.createToken({ sub, roles })}`,
});

test("a caller with a token adds a note, and anyone can read it", async () => {
  await using notes = client();
  const added = await notes.post("/notes", { json: { body: "water the plants" }, headers: await as("ann") });
  assert.equal(added.status, 201);
  const found = await notes.get(added.headers.get("location") ?? "");
  assert.deepEqual([found.status, found.json()], [200, added.json()]);
});

test("a caller without a token gets 401, an invalid note 422", async () => {
  await using notes = client();
  assert.equal((await notes.post("/notes", { json: { body: "x" } })).status, 401);
  assert.equal((await notes.post("/notes", { json: { body: "" }, headers: await as("ann") })).status, 422);
});

test("text that a database cannot store gets 422", async () => {
  await using notes = client();
  for (const body of ["a\0b", "\ud800"])
    assert.equal((await notes.post("/notes", { json: { body }, headers: await as("ann") })).status, 422);
});

test("only editors can delete notes", async () => {
  await using notes = client();
  const added = await notes.post("/notes", { json: { body: "x" }, headers: await as("ann") });
  const path = added.headers.get("location") ?? "";
  assert.equal((await notes.delete(path, { headers: await as("ann") })).status, 403);
  assert.equal((await notes.delete(path, { headers: await as("bob", "editor") })).status, 204);
  assert.equal((await notes.get(path)).status, 404);
});
