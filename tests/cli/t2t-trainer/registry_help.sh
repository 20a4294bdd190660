t2t-trainer --registry_help | grep -E "^[A-Z]|transformer$|transformer_(base|tiny)$|numbers|transformer_base_range"
