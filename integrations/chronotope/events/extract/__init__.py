"""From documents to event units: by rules, or by a model whose words and dates are checked."""
