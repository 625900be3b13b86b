import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
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

test("has its metadata and returns its content any number of times", async () => {
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
])("the extension of %j is %j", (filename, extension) => {
  expect(fileOf("", filename).extension).toBe(extension);
});

test.each([0, 1, 65_536, 150_000])("streams %i bytes in chunks of 64 KiB", async (length) => {
  const bytes = Uint8Array.from({ length }, (_, at) => at % 251);
  const chunks: Uint8Array[] = [];
  for await (const chunk of fileOf(bytes).stream()) chunks.push(chunk);
  expect(chunks.map((chunk) => chunk.length)).toEqual(
    Array.from({ length: Math.ceil(length / 65_536) }, (_, at) => Math.min(65_536, length - at * 65_536)),
  );
  expect(Buffer.concat(chunks).equals(bytes)).toBe(true);
});

test("saves to a path, and overwrites a file only with overwrite", async () => {
  const path = join(folder, "kept.txt");
  await fileOf("first").save(path);
  await expect(fileOf("second").save(path)).rejects.toMatchObject({ code: "EEXIST" });
  expect(await readFile(path, "utf8")).toBe("first");
  await fileOf("third").save(path, { overwrite: true });
  expect(await readFile(path, "utf8")).toBe("third");
  expect(await readdir(folder)).toEqual(["kept.txt"]);
});

test("fails with Node's error when the folder is absent or the path is a folder", async () => {
  await expect(fileOf("x").save(join(folder, "absent", "a"))).rejects.toMatchObject({ code: "ENOENT" });
  await writeFile(join(folder, "file"), "");
  await expect(fileOf("x").save(folder, { overwrite: true })).rejects.toMatchObject({ code: "EISDIR" });
});

test("a failed save leaves no file, neither at its path nor in the folder", async () => {
  await mkdir(join(folder, "taken"));
  await expect(fileOf("x").save(join(folder, "taken"), { overwrite: true })).rejects.toMatchObject({
    code: "EISDIR",
  });
  await expect(fileOf("x").save(join(folder, "taken"))).rejects.toMatchObject({ code: "EEXIST" });
  const long = join(folder, "x".repeat(300));
  await expect(fileOf("x").save(long)).rejects.toMatchObject({ code: "ENAMETOOLONG" });
  await expect(fileOf("x").save(long, { overwrite: true })).rejects.toMatchObject({ code: "ENAMETOOLONG" });
  expect(await readdir(folder)).toEqual(["taken"]);
  expect(await readdir(join(folder, "taken"))).toEqual([]);
});

test("a write that fails midway leaves the existing file intact and no part of the new one", async () => {
  const path = join(folder, "kept.txt");
  await writeFile(path, "old");
  const program = `
    import { UploadedFile } from ${JSON.stringify(new URL("./uploaded-file.ts", import.meta.url).href)};
    process.on("SIGXFSZ", () => {});
    const bytes = new Uint8Array(300_000);
    const file = new UploadedFile({ name: "doc", filename: "a", contentType: "text/plain" }, bytes);
    const printCode = (error) => console.log(error.code);
    await file.save(process.argv[1], { overwrite: true }).catch(printCode);
    await file.save(process.argv[1] + ".new").catch(printCode);
  `;
  const shell = 'ulimit -f 100 && exec "$0" --input-type=module -e "$1" "$2"'; // at most 100 blocks per file
  const { stdout } = await promisify(execFile)("/bin/sh", ["-c", shell, process.execPath, program, path]);
  expect(stdout).toBe("EFBIG\nEFBIG\n");
  expect(await readFile(path, "utf8")).toBe("old");
  expect(await readdir(folder)).toEqual(["kept.txt"]);
});
