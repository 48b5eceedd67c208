"""What a question asks, taken apart before anything is searched."""

from chronotope.questions.scope import ScopedQuestion, ScopeMode, scope, scope_given

__all__ = ["ScopeMode", "ScopedQuestion", "scope", "scope_given"]
