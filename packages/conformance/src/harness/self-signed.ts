import { generateKeyPairSync, sign } from "node:crypto";

/** A self-signed certificate and its key; both PEM. */
export interface SelfSigned {
  readonly cert: string;
  readonly key: string;
}

/** Creates a certificate for a name (X.509 version 1, P-256), valid from 2020 to 2049. */
export const selfSigned = (commonName = "localhost"): SelfSigned => {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const algorithm = sequence(Buffer.from("06082a8648ce3d040302", "hex")); // ecdsa-with-SHA256
  const name = sequence(
    tagged(0x31, sequence(Buffer.from("0603550403", "hex"), tagged(0x0c, Buffer.from(commonName)))),
  );
  const validity = sequence(
    ...["200101000000Z", "491231235959Z"].map((time) => tagged(0x17, Buffer.from(time))),
  );
  const serial = tagged(0x02, Buffer.from([1]));
  const keyInfo = publicKey.export({ type: "spki", format: "der" });
  const content = sequence(serial, algorithm, name, validity, name, keyInfo);
  const signature = tagged(0x03, Buffer.concat([Buffer.from([0]), sign("sha256", content, privateKey)]));
  const lines =
    sequence(content, algorithm, signature)
      .toString("base64")
      .match(/.{1,64}/g) ?? [];
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: "pkcs8", format: "pem" }) as string,
  };
};

const sequence = (...parts: readonly Buffer[]): Buffer => tagged(0x30, Buffer.concat(parts));

/** Returns one element of DER: tag, length, content. */
const tagged = (tag: number, content: Buffer): Buffer => {
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
};
