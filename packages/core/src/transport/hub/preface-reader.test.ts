import { Duplex } from "node:stream";
import { expect, test } from "@jest/globals";
import type { Socket } from "../../exchange/socket.ts";
import type { TransportOptions } from "../../exchange/transport.ts";
import { virtualClock } from "../../runtime/virtual-clock.ts";
import { ConnectionHub } from "./connection-hub.ts";
import { selectByPreface } from "./preface-reader.ts";

const PREFACE = "PRI * HTTP/2.0";

/** Connects a client to a reader of prefaces; `served` lists the protocols that were selected. */
const connect = () => {
  const clock = virtualClock();
  const served: string[] = [];
  const options = {
    clock,
    timeouts: { readHeaderSecs: 5, idleSecs: 20 },
    protocol: { alpn: "h2", preface: Buffer.from(PREFACE), open: () => () => void served.push("h2") },
  } as unknown as TransportOptions; // its other members are not used
  const hub = new ConnectionHub(options, () => () => {});
  const socket = new Duplex({ read() {} });
  selectByPreface(hub, () => void served.push("http/1.1"))(socket as unknown as Socket);
  const send = async (text: string): Promise<void> => {
    socket.push(text);
    await new Promise(setImmediate);
  };
  return { clock, served, socket, send };
};

test("readHeaderSecs counts from the first byte of a connection that was idle before", async () => {
  const { clock, served, socket, send } = connect();
  await clock.advance(15_000);
  await send(PREFACE.slice(0, 3));
  await clock.advance(5000);
  expect(socket.destroyed).toBe(false);
  await send(PREFACE.slice(3));
  expect(served).toEqual(["h2"]);
});

test("an incomplete preface is cut after readHeaderSecs, and a connection without a byte after idleSecs", async () => {
  const slow = connect();
  await slow.send("PRI");
  await slow.clock.advance(6000);
  expect(slow.socket.destroyed).toBe(true);
  const silent = connect();
  await silent.clock.advance(20_000);
  expect(silent.socket.destroyed).toBe(false);
  await silent.clock.advance(1000);
  expect(silent.socket.destroyed).toBe(true);
});
