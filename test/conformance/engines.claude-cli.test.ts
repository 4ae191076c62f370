import { engineConformance } from "./engines/conformance.ts";

engineConformance("claude-cli");
