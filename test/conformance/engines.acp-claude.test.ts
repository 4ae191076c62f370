import { engineConformance } from "./engines/conformance.ts";

engineConformance("acp:claude-agent-acp");
