// npm run write-env: writes .env with new secrets, such as in a new clone.
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const folder = join(import.meta.dirname, "..");
const file = join(folder, ".env");
const createSecret = (): string => randomBytes(32).toString("base64url");

if (existsSync(file)) {
  console.error(".env exists already; remove it to create new secrets");
  process.exitCode = 1;
} else {
  const example = readFileSync(join(folder, ".env.example"), "utf8");
  const text = `${example.replace(/^AUTH_SECRET=$/m, `AUTH_SECRET=${createSecret()}`)}
# Password of PostgreSQL, for compose.yaml alone.
POSTGRES_PASSWORD=${createSecret()}
`;
  writeFileSync(file, text, { flag: "wx", mode: 0o600 });
}
