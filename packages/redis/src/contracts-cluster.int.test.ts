import { testContracts } from "./contracts.test-kit.ts";

testContracts("redis-cluster");
