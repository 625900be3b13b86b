import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { UploadedFile } from "./uploaded-file.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "uploaded-file-"));
});
afterEach(() => rm(folder, { recursive: true }));

const fileOf = (content: string | Uint8Array, filename = "a.txt") =>
  new UploadedFile(
    { name: "doc", filename, contentType: "text/plain" },
    typeof content === "string" ? new TextEncoder().encode(content) : content,
  );

test("tells what it is and gives its content any number of times", async () => {
  const file = fileOf("Zoë");
  expect(file).toMatchObject({
    name: "doc",
    filename: "a.txt",
    contentType: "text/plain",
    size: 4,
    extension: ".txt",
  });
  expect(await file.read()).toEqual(new TextEncoder().encode("Zoë"));
  expect([await file.text(), await file.text()]).toEqual(["Zoë", "Zoë"]);
});

test.each([
  ["a.PNG", ".png"],
  ["a.tar.gz", ".gz"],
  ["a", ""],
  ["a.", ""],
  [".profile", ""],
  ["", ""],
])("%j has the extension %j", (filename, extension) => {
  expect(fileOf("", filename).extension).toBe(extension);
});

test.each([0, 1, 65_536, 150_000])("streams %i bytes in pieces of 64 KiB", async (length) => {
  const bytes = Uint8Array.from({ length }, (_, at) => at % 251);
  const pieces: Uint8Array[] = [];
  for await (const piece of fileOf(bytes).stream()) pieces.push(piece);
  expect(pieces.map((piece) => piece.length)).toEqual(
    Array.from({ length: Math.ceil(length / 65_536) }, (_, at) => Math.min(65_536, length - at * 65_536)),
  );
  expect(Buffer.concat(pieces).equals(bytes)).toBe(true);
});

test("saves to a path, and never over a file unless told to", async () => {
  const path = join(folder, "kept.txt");
  await fileOf("first").save(path);
  await expect(fileOf("second").save(path)).rejects.toMatchObject({ code: "EEXIST" });
  expect(await readFile(path, "utf8")).toBe("first");
  await fileOf("third").save(path, { overwrite: true });
  expect(await readFile(path, "utf8")).toBe("third");
  expect(await readdir(folder)).toEqual(["kept.txt"]);
});

test("fails as Node does when the folder is absent, or the path is one", async () => {
  await expect(fileOf("x").save(join(folder, "absent", "a"))).rejects.toMatchObject({ code: "ENOENT" });
  await writeFile(join(folder, "file"), "");
  await expect(fileOf("x").save(folder, { overwrite: true })).rejects.toMatchObject({ code: "EISDIR" });
});
