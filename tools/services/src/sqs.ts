import { fileURLToPath } from "node:url";
import { startFragileServer } from "./fragile-server.ts";
import { freePort } from "./free-port.ts";
import type { FragileServer } from "./running-server.ts";
import { ServerFolder } from "./server-folder.ts";
import { ServerProcess } from "./server-process.ts";

export interface SqsOptions {
  /** Whether queues and messages are stored on disk, so that they survive `kill` and `shutdown`. @default false */
  readonly durable?: boolean;
}

/** Starts an emulator of Amazon SQS without queues, on loopback; `url` is its endpoint. */
export const startSqs = async ({ durable = false }: SqsOptions = {}): Promise<FragileServer> => {
  const folder = new ServerFolder("sqs");
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const program = fileURLToPath(new URL(`./sqs-emulator${extension}`, import.meta.url));
  const args = [program, String(port), ...(durable ? [folder.path] : [])];
  return await startFragileServer({
    name: "SQS",
    url,
    folder,
    process: new ServerProcess({ program: process.execPath, args, folder }),
    check: () => checkSqs(url),
  });
};

/** File extension of this module: `.ts` in the sources, `.js` in a build. */
const extension = import.meta.url.slice(-3);

/** Lists the queues; rejects unless the endpoint behaves like SQS. */
export const checkSqs = async (endpoint: string): Promise<void> => {
  await requestSqs(endpoint, "ListQueues", {}, AbortSignal.timeout(5000));
};

/** Makes a request of the JSON protocol, without a signature. @throws when it fails */
export const requestSqs = async (
  endpoint: string,
  action: string,
  input: object,
  signal: AbortSignal = AbortSignal.timeout(60_000),
): Promise<Readonly<Record<string, unknown>>> => {
  const response = await fetch(endpoint, {
    method: "POST",
    headers: { "content-type": "application/x-amz-json-1.0", "x-amz-target": `AmazonSQS.${action}` },
    body: JSON.stringify(input),
    signal,
  });
  if (!response.ok) throw new Error(`SQS replied with ${response.status}: ${await response.text()}`);
  return (await response.json()) as Readonly<Record<string, unknown>>;
};
