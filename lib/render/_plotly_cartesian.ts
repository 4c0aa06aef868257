import licence from "plotly.js-cartesian-dist-min/LICENSE" with { type: "text" };
import source from "plotly.js-cartesian-dist-min/plotly-cartesian.min.js" with { type: "text" };

export { licence, source };
