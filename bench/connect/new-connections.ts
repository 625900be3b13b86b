import { connect } from "node:net";

const REQUEST = "GET /json HTTP/1.1\r\nHost: bench\r\nConnection: close\r\n\r\n";

/** Sends `total` requests, each on a new connection, `concurrency` of them concurrently. @throws when one is refused, reset or gets a status other than 200 */
export const sendOnNewConnections = async (
  port: number,
  concurrency: number,
  total: number,
): Promise<void> => {
  let unsent = total;
  const lane = async (): Promise<void> => {
    while (unsent-- > 0) await sendOnce(port);
  };
  await Promise.all(Array.from({ length: concurrency }, lane));
};

const sendOnce = (port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true });
    let reply = "";
    socket.setEncoding("latin1");
    socket.on("data", (text: string) => (reply += text));
    socket.on("error", reject);
    socket.on("close", () => {
      if (reply.startsWith("HTTP/1.1 200 ")) resolve();
      else reject(new Error(`unexpected reply: ${reply.slice(0, 100)}`));
    });
    socket.write(REQUEST);
  });
