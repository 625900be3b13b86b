import { expect, test } from "@jest/globals";
import { moduleOfScript } from "./start-script.ts";

test.each([
  ["node src/main.ts", "src/main.ts"],
  ["node app.ts --settings conf.js", "app.ts"],
  ["node --enable-source-maps src/serve.ts", "src/serve.ts"],
  ["node -r ./setup.js --import ./probe.mjs app.cjs other.js", "app.cjs"],
  ["node --import=./probe.mjs --env-file .env -- app.mts", "app.mts"],
  ["NODE_ENV=production node app.ts", "app.ts"],
  ["exec node app.ts", "app.ts"],
  ["node $NODE_FLAGS app.ts", "app.ts"],
  ["cross-env A=1 B='x y' node app.ts", "app.ts"],
  ["dotenv -e .env -- node app.js", "app.js"],
  ['node "my app.ts"', "my app.ts"],
  ["node './src/app.ts'", "./src/app.ts"],
  ["npm run build && node prepare.js && node dist/main.js | pino-pretty", "dist/main.js"],
  ["node app.ts 2>&1 | tee log.js", "app.ts"],
  ["tsx watch app.ts", "app.ts"],
  ["tsx watch --clear-screen=false ./src/app.ts --port 80", "./src/app.ts"],
  ["tsx app.ts", "app.ts"],
  ["npx tsx --tsconfig tsconfig.app.json app.ts", "app.ts"],
  ["bun app.ts", "app.ts"],
  ["bun run app.ts", "app.ts"],
  ["bun --watch run app.ts", "app.ts"],
  ["bun run --hot src/app.ts", "src/app.ts"],
  ["bun run start", null],
  ["bun run", null],
  ["node run app.ts", null],
  ["node .", null],
  ["node cli serve.js", null],
  ["next start", null],
  ["docker compose up", null],
  ["", null],
])("the module of the start script %j is %j", (script, path) => {
  expect(moduleOfScript(script)).toBe(path);
});
