import { engineConformance } from "./engines/conformance.ts";

engineConformance("acp:opencode");
