// The links between the catalogue and the bundles.
import { subnav } from "./subnav.js";

export const catalogueHead = () => subnav("What is offered", [["/", "Courses"], ["/bundles", "Bundles"]]);
