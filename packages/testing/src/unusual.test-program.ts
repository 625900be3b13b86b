import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const listen = (ready: (url: string) => void): void => {
  const server = createServer((_request, response) => response.end("hello"));
  server.listen(0, "127.0.0.1", () => ready(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
};

/** Programs that behave unlike the framework's; the first argument selects one. */
const programs: Readonly<Record<string, () => void>> = {
  plain: () => {
    console.log("see https://example.com/docs");
    listen((url) => console.error(`  ready at ${url}/ for you`));
  },
  crashing: () => {
    console.log("about to fail");
    throw new Error("no database");
  },
  mute: () => {
    console.log("still thinking");
    setInterval(() => {}, 1000);
  },
  stubborn: () => {
    process.on("SIGTERM", () => console.log("not now"));
    listen((url) => console.log(url));
  },
};

programs[process.argv[2] ?? ""]?.();
