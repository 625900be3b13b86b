// oxlint-disable no-restricted-imports -- the bench depends on core only, so that a comparison installs nothing else
export { devtools } from "../../packages/devtools/src/index.ts";
