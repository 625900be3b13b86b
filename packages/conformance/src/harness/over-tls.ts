import { selfSigned } from "./self-signed.ts";
import type { MakeTransport } from "./test-server.ts";

const { cert, key } = selfSigned();

/** Adds TLS to a transport; the clients of `withServer` also use TLS. */
export const overTls = (make: MakeTransport): MakeTransport =>
  Object.assign<MakeTransport, Pick<MakeTransport, "ca">>(
    (options) => make({ ...options, tls: { cert, key } }),
    { ca: cert },
  );
