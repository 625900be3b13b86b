import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";

/** A published version: fields of its package.json, and its changelog. */
export interface TestRelease {
  readonly name: string;
  readonly version: string;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly changelog?: string;
}

/** A registry on the loopback interface that serves documents and tarballs to npm. */
export interface LoopbackRegistry extends AsyncDisposable {
  /** Environment variables that make npm use only this registry. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Starts a registry with these releases; the last one of a package is its newest. */
export const loopbackRegistry = async (
  folder: string,
  releases: readonly TestRelease[],
): Promise<LoopbackRegistry> => {
  const tarballs = new Map(releases.map((each) => [pathOf(each), tarballOf(each)]));
  const server = createServer((request, response) => {
    const url = `http://${request.headers.host ?? ""}`;
    const path = decodeURIComponent(request.url ?? "");
    const tarball = tarballs.get(path);
    const own = releases.filter(({ name }) => path === `/${name}`);
    if (tarball !== undefined) return void response.end(tarball);
    if (own.length === 0) return void response.writeHead(404).end("{}");
    const versions = own.map((each) => {
      const { changelog: _, ...manifest } = each;
      const bytes = tarballs.get(pathOf(each)) ?? Buffer.alloc(0);
      const integrity = `sha512-${createHash("sha512").update(bytes).digest("base64")}`;
      return [each.version, { ...manifest, dist: { integrity, tarball: url + pathOf(each) } }];
    });
    const latest = own.at(-1)?.version;
    response.setHeader("content-type", "application/json").end(
      JSON.stringify({
        name: own[0]?.name,
        "dist-tags": { latest },
        versions: Object.fromEntries(versions),
      }),
    );
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    environment: {
      PATH: process.env["PATH"] ?? "",
      HOME: folder,
      npm_config_registry: `http://127.0.0.1:${port}/`,
      npm_config_cache: `${folder}/npm-cache`,
      npm_config_update_notifier: "false",
      npm_config_fetch_retries: "0",
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
};

const pathOf = ({ name, version }: TestRelease): string => `/${name}/-/${version}.tgz`;

const tarballOf = ({ changelog = "", ...manifest }: TestRelease): Buffer =>
  gzipSync(
    Buffer.concat([
      ...entry("package/package.json", JSON.stringify(manifest)),
      ...entry("package/dist/CHANGELOG.md", changelog),
      Buffer.alloc(1024),
    ]),
  );

/** Returns the blocks of a file in a tar archive. */
const entry = (path: string, text: string): readonly Buffer[] => {
  const body = Buffer.from(text);
  const header = Buffer.alloc(512);
  header.write(path, 0);
  header.write("0000644\0", 100);
  header.write("0000000\0", 108);
  header.write("0000000\0", 116);
  header.write(`${body.length.toString(8).padStart(11, "0")}\0`, 124);
  header.write("00000000000\0", 136);
  header.write("        0", 148); // spaces in place of the checksum, and the type flag of a regular file
  header.write("ustar\0" + "00", 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return [header, body, Buffer.alloc((512 - (body.length % 512)) % 512)];
};
