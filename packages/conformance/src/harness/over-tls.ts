import { selfSigned } from "./self-signed.ts";
import type { MakeTransport } from "./test-server.ts";

const { cert, key } = selfSigned();

/** Makes a transport with TLS; the clients of `withServer` then speak it too. */
export const overTls = (make: MakeTransport): MakeTransport =>
  Object.assign<MakeTransport, Pick<MakeTransport, "ca">>(
    (options) => make({ ...options, tls: { cert, key } }),
    { ca: cert },
  );
